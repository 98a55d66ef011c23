"""Scripts that call the interface with a token, and a project with something of everything for them to find."""

import json
from dataclasses import dataclass

from django.test import Client
from django.utils import timezone

from annotation.models import Project, Round, User
from annotation.services import assignments as work
from annotation.services import rankings, tokens
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, Plan, PlanSource
from curation.models import Recipe, Release, Run
from curation.services import recipes, releases, runs
from tests.factories import (
    NOW,
    REASON,
    make_member,
    make_prompt,
    make_response,
    make_round,
    score_all,
)
from tests.ranking_rounds import make_ranking_round, tiers

BASE = "/api/v1/projects/bridges/"
NAMES = ("ursula", "benedict", "catherine")


def token_of(user: User, **options: object) -> str:
    """One that may do whatever its owner may."""
    return tokens.create(user, **{"name": "script", "now": timezone.now(), "days": None, **options})


class Caller:
    """A script with a token."""

    def __init__(self, user: User, **options: object) -> None:
        self.client = Client()
        self.token = token_of(user, **options)
        self.headers = {"authorization": f"Bearer {self.token}"}

    def get(self, url, **headers):
        return self.client.get(at(url), headers={**self.headers, **headers})

    def post(self, url, body=None, **headers):
        return self.send("post", url, body, **headers)

    def patch(self, url, body=None):
        return self.send("patch", url, body)

    def delete(self, url):
        return self.client.delete(at(url), headers=self.headers)

    def send(self, method, url, body=None, **headers):
        raw = body if isinstance(body, str | bytes) else json.dumps({} if body is None else body)
        kind = headers.pop("content_type", "application/json")
        send = getattr(self.client, method)
        return send(at(url), raw, content_type=kind, headers={**self.headers, **headers})

    def all(self, url):
        """Every row of a list, page by page."""
        found = []
        while url:
            answer = self.get(url)
            assert answer.status_code == 200, answer.content
            told = answer.json()
            found += told["results"]
            url = told["next"]
        return found


def at(url: str) -> str:
    """Relative addresses are those of the project."""
    return url if url.startswith(("/", "http")) else BASE + url


def refusal_of(response) -> tuple[int, str]:
    """The status and the code of a refusal, which comes as a problem."""
    told = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert told["status"] == response.status_code
    return response.status_code, told["code"]


@dataclass(frozen=True)
class World:
    project: Project
    work: Round
    ranked: Round
    recipe: Recipe
    run: Run
    release: Release | None
    authored: AuthoredPrompt
    plan: Plan


def fill(project: Project, *, is_released: bool = True) -> World:
    """Four prompts of two genres and languages with two responses each, scored, ranked, curated, released."""
    members = [make_member(project, "annotator", name) for name in NAMES]
    fiction, poetry = project.genres.order_by("position")
    values = {}
    for number in range(4):
        genre, language = ((fiction, "en"), (poetry, "zh"))[number % 2]
        prompt = make_prompt(project, f"p{number}", genre=genre, language=language)
        for side in (0, 1):
            make_response(prompt, f"p{number}-{side}", source_model=("gpt", "claude")[side])
            for name in NAMES:
                values[f"p{number}-{side}", name] = 3 * side
    scored = make_round(project)
    score_all(scored, values)
    ranked = _ranked(project, members[0])
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    assert run.state == "done", run.error
    released = _released(run) if is_released else None
    return World(project, scored, ranked, recipe, run, released, *asked_models(project, members[0]))


def _released(run: Run) -> Release:
    release = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(release.pk, clock=lambda: NOW)
    release.refresh_from_db()
    assert release.state == "done", release.error
    return release


def asked_models(project: Project, author, key: str = "storm") -> tuple[AuthoredPrompt, Plan]:
    """A blueprint, and a plan of one request that nobody has started."""
    authored = AuthoredPrompt.objects.create(
        project=project,
        key=key,
        language="en",
        blueprint="A keeper in a storm.",
        author=author,
        created_at=NOW,
        changed_at=NOW,
    )
    told = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny-1", "public_name": "Tiny One"}
    endpoint, _ = Endpoint.objects.get_or_create(name="tiny", defaults={**told, "created_at": NOW})
    plan = Plan.objects.create(project=project, name="First", kind=Plan.Kind.RESPONSES, made_at=NOW)
    source = PlanSource.objects.create(
        plan=plan,
        endpoint=endpoint,
        public_name="Tiny One",
        model="tiny-1",
        length_parameter="max_tokens",
        input_price=0,
        output_price=0,
        currency="USD",
    )
    ModelRequest.objects.create(plan=plan, source=source, prompt=project.prompts.first(), asked="Write.")
    return authored, plan


def _ranked(project: Project, annotator) -> Round:
    ranked = make_ranking_round(project)
    lease = work.claim(annotator, ranked, now=NOW)
    rankings.submit(lease, tiers=tiers("B > A"), justification="The second is better.", now=NOW)
    return ranked
