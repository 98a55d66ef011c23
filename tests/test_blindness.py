"""What an annotator can reach carries no source, no other's score and no id of the material."""

import re
from dataclasses import fields, is_dataclass

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation import queries
from annotation.models import Score
from annotation.services import accounts, assignments, scoring
from curation.services import recipes, runs
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db

MARKERS = {
    "source": "MARKER-MODEL-9B",
    "parameters": "MARKER-TEMPERATURE",
    "response id": "MARKER-RESPONSE",
    "prompt id": "MARKER-PROMPT",
    "another's justification": "MARKER-JUSTIFICATION",
    "another's name": "marker-other-annotator",
    "requirement": "MARKER-REQUIREMENT",
}


@pytest.fixture
def world(project, annotator, lead):
    """A project in full swing: another annotator has scored, a run is done."""
    prompt = make_prompt(project, "MARKER-PROMPT-1", genre=project.genres.first())
    prompt.requirements.create(position=1, text="MARKER-REQUIREMENT")
    for number in range(3):
        make_response(
            prompt,
            f"MARKER-RESPONSE-{number}",
            f"The text of number {number}.",
            source_model=MARKERS["source"],
            parameters={"note": MARKERS["parameters"]},
        )
    work = make_round(project)
    other = make_member(project, "annotator", MARKERS["another's name"])
    while lease := assignments.claim(other, work, now=NOW):
        scoring.submit(lease, value=3, justification=MARKERS["another's justification"], now=NOW)
    run = runs.request(project, recipe=recipes.current(project, by=None, now=NOW), by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    return {"work": work, "run": run, "lease": assignments.claim(annotator, work, now=NOW)}


def addresses(world, project):
    """Every address of the site, filled with things that exist."""
    values = {
        "name": "release",
        "version": "0.1.0",
        "path": "manifest.json",
        "slug": project.slug,
        "token": world["lease"].token,
    }
    for name, route in routes(get_resolver()):
        pk = world["work"].pk if route.startswith("rounds/") else world["run"].pk
        wanted = re.findall(r"<\w+:(\w+)>", route)
        yield name, reverse(name, kwargs={key: {**values, "pk": pk}[key] for key in wanted})


def routes(resolver, prefix=""):
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern):
            yield entry.name, route


def leaks(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    seen = body.decode(errors="replace") + str(response.headers) + str(response.cookies)
    return [what for what, marker in MARKERS.items() if marker.lower() in seen.lower()]


def test_no_page_that_an_annotator_can_reach_says_more_than_the_text(world, project, annotator, browser_of):
    client = browser_of(annotator)
    token = accounts.create_token(annotator.user, name="", now=NOW, days=None)
    asked = 0
    for name, address in addresses(world, project):
        for language in ("en", "zh-CN"):
            for method in (client.get, client.post):
                headers = {"accept-language": language, "authorization": f"Bearer {token}"}
                response = method(address, headers=headers)
                assert leaks(response) == [], f"{name} at {address}"
                assert response.status_code < 500
                asked += 1
    assert asked >= 4 * 15


def test_the_lead_sees_what_the_crawl_looks_for(world, project, lead, browser_of):
    """The negative control: the markers are findable where they may be seen."""
    assert {score.justification for score in Score.objects.all()} == {MARKERS["another's justification"]}
    client = browser_of(lead)
    assert client.get(reverse("project", args=[project.slug])).status_code == 200
    assert client.get(reverse("run", args=[project.slug, world["run"].pk])).status_code == 200


def test_an_annotator_cannot_tell_whether_another_has_scored(world, annotator, browser_of):
    client = browser_of(annotator)
    page = reverse("score", args=[world["lease"].token])
    before = without_csrf(client.get(page)), without_csrf(client.get("/"))
    third = make_member(annotator.project)
    lease = assignments.claim(third, world["work"], now=NOW)
    scoring.submit(lease, value=0, justification="", now=NOW)
    assert (without_csrf(client.get(page)), without_csrf(client.get("/"))) == before


def without_csrf(response):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def test_an_annotator_of_one_project_sees_nothing_of_another(world, browser_of):
    outsider = make_member(make_project(), "annotator", "outsider")
    client = browser_of(outsider)
    for name, address in addresses(world, world["work"].project):
        if name not in ("home", "sign_in", "sign_out", "theme", "set_language", "healthz", "api_releases"):
            assert client.get(address).status_code in (401, 403, 404, 405), address


@pytest.mark.parametrize("name", ["ScoringItem", "RoundCard", "Given"])
def test_the_types_of_annotators_pages_have_no_field_for_it(name):
    kind = getattr(queries, name)
    assert is_dataclass(kind)
    forbidden = (
        "model",
        "source",
        "parameters",
        "external",
        "gold",
        "annotator",
        "response_id",
        "prompt_id",
        "pk",
    )
    assert not [f.name for f in fields(kind) for word in forbidden if word in f.name]
