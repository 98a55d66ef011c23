"""What an annotator can reach carries no source, no other's score and no id of the material."""

import re
from dataclasses import fields, is_dataclass

import pytest
from django.apps import apps
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.models import Flag, Lease, Round
from annotation.queries import flagging, scoring_page
from annotation.queries import scoring as queries
from annotation.services import (
    assignments,
    category_votes,
    preferences,
    rankings,
    scoring,
    slots,
    tokens,
)
from curation.services import recipes, releases, runs
from tests.factories import NOW, REASON, make_member, make_project, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db

MARKERS = {
    "source": "MARKER-MODEL-9B",
    "parameters": "MARKER-TEMPERATURE",
    "response id": "MARKER-RESPONSE",
    "prompt id": "MARKER-PROMPT",
    "another's justification": "MARKER-JUSTIFICATION",
    "another's name": "marker-other-annotator",
    "requirement": "MARKER-REQUIREMENT",
    "a check's words": "MARKER-CHECK",
    "another's flag": "MARKER-FLAG",
    "id of a row": "765432",
}
FIRST_ID = 765_432_000  # of every table of the application, so that an id is known where it is seen


def number_far_away():
    """Rows are numbered from FIRST_ID on."""
    tables = [model._meta.db_table for model in apps.get_app_config("annotation").get_models()]
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, FIRST_ID])
            else:
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, FIRST_ID])


@pytest.fixture
def project(db):
    number_far_away()
    return make_project("bridges")


@pytest.fixture
def world(project, annotator, lead, settings, tmp_path):
    """A project in full swing: three others have scored, a run is done and released."""
    settings.RELEASES_DIR = tmp_path / "releases"
    prompt = make_prompt(project, "MARKER-PROMPT-1", genre=project.genres.first())
    prompt.requirements.create(position=1, text="MARKER-REQUIREMENT")
    for number in range(4):
        make_response(
            prompt,
            f"MARKER-RESPONSE-{number}",
            f"The text of number {number}.",
            source_model=MARKERS["source"],
            parameters={"note": MARKERS["parameters"]},
        )
    project.annotators_per_response = 5
    project.save(update_fields=["annotators_per_response"])
    work = make_round(project)
    for name in (MARKERS["another's name"], "second-other", "third-other"):
        other = make_member(project, "annotator", name)
        while lease := assignments.claim(other, work, now=NOW):
            value = int(lease.assignment.response.external_id[-1])
            scoring.submit(lease, value=value, justification=MARKERS["another's justification"], now=NOW)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    release = releases.request(run, name="bridges", version="1.0.0", reason=REASON, by=None, now=NOW)
    releases.execute(release.pk, clock=lambda: NOW)
    lease = assignments.claim(annotator, work, now=NOW)
    flagged = {"project": project, "response": lease.assignment.response, "raised_at": NOW}
    detail = {"template": MARKERS["a check's words"], "values": {}}
    Flag.objects.create(**flagged, check_key="refusal", rules_version=1, detail=detail)
    Flag.objects.create(**flagged, check_key="annotator", raised_by=other, note=MARKERS["another's flag"])
    return {"work": work, "run": run, "lease": lease}


def addresses(world, project):
    """Every address of the site, filled with things that exist."""
    values = {
        "name": "bridges",
        "version": "1.0.0",
        "path": "data/judgements/test.jsonl",
        "slug": project.slug,
        "token": world["lease"].token,
        "number": 1,
        "saved_pk": 1,
        "uidb36": "1",
        "key": "x",
        "language": "any",
        "report": 1,
        "kind": "csv",
        "code": "not_found",
        "mark": "0" * 16,
        "id": "MARKER-RESPONSE-1",
        "username": MARKERS["another's name"],
        **dict.fromkeys(("response_pk", "item_pk", "member_pk", "place", "source_pk", "plan_pk"), 1),
    }
    keys = {"triage_response": world["lease"].assignment.response_id}
    for name, route in routes(get_resolver()):
        pk = world["work"].pk if "rounds/" in route else keys.get(name, world["run"].pk)
        wanted = re.findall(r"<(?:\w+:)?(\w+)>", route)
        filled = {**values, "pk": pk}
        if route.startswith("work/"):
            filled["token"] = world["work"].token
        yield name, reverse(name, kwargs={key: filled[key] for key in wanted})


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


SHOWN_TO_ANNOTATORS = {
    *("home", "score", "finished", "flag", "guideline", "round_guideline", "read_consent", "own_work"),
    *("standing", "exam", "training", "calibration"),
}
SHOWN_TO_EVERYBODY = {
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "api_problem",
    "signing_key",
}
SHOWN_TO_WHO_SIGNED_IN = {
    "account_change_password",
    "account_reauthenticate",
    "mfa_activate_totp",
    "mfa_generate_recovery_codes",
    "mfa_index",
    "own_data",
    "settings",
    "tokens",
}
SHOWN_TO_TOKENS = {
    *("api_releases", "api_schema", "api_me", "api_own_rounds", "api_projects", "api_project"),
}
OF_NO_PROJECT = {
    *("home", "own_work", "healthz", "theme", "set_language", "api_releases"),
    *("sign_in", "account_login", "sign_out", "account_logout", "mfa_authenticate", "mfa_reauthenticate"),
    *("mfa_deactivate_totp", "mfa_view_recovery_codes", "change_email", "close_account"),
}
SHOWN_TO_LEADS = {"home", "project", "run", "release", "release_file", "triage", "triage_response"}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_no_page_that_an_annotator_can_reach_says_more_than_the_text(
    world, project, annotator, browser_of, language
):
    token = tokens.create(annotator.user, name="script", now=timezone.now(), days=None)
    headers = {"accept-language": language, "authorization": f"Bearer {token}"}
    shown = set()
    for name, address in addresses(world, project):
        for method in ("get",) if name == "leave_project" else ("get", "post"):
            response = getattr(browser_of(annotator), method)(address, headers=headers)
            # A refusal may repeat the address that somebody typed.
            found = [leak for leak in leaks(response) if MARKERS[leak] not in address]
            assert found == [], f"{name} at {address}"
            assert response.status_code < 500
            if method == "get" and response.status_code == 200 and name != "healthz":
                shown.add(name)
    # What may be seen was seen, so the crawl did not walk past closed doors.
    assert shown == SHOWN_TO_ANNOTATORS | SHOWN_TO_EVERYBODY | SHOWN_TO_WHO_SIGNED_IN | SHOWN_TO_TOKENS


def test_what_the_crawl_looks_for_is_there_to_be_found(world, project, lead, browser_of):
    """The negative control: with a lead's eyes the same crawl finds it."""
    token = tokens.create(lead.user, name="script", now=timezone.now(), days=None)
    shown, found = set(), set()
    for name, address in addresses(world, project):
        response = browser_of(lead).get(address, headers={"authorization": f"Bearer {token}"})
        found.update(leaks(response))
        if response.status_code == 200:
            shown.add(name)
    assert shown >= {*SHOWN_TO_LEADS, "api_releases", "api_release", "api_release_file", "api_scores"}
    assert found >= {"response id", "prompt id", "source", "a check's words", "another's flag"}


def test_an_annotator_cannot_tell_how_far_others_are(world, annotator, browser_of):
    """Not even when no slot but the annotator's own is left."""
    page = reverse("score", args=[world["lease"].token])

    def seen():
        client = browser_of(annotator)
        return without_csrf(client.get(page)), without_csrf(client.get("/"))

    before = seen()
    for _ in range(2):
        newcomer = make_member(annotator.project)
        while lease := assignments.claim(newcomer, world["work"], now=NOW):
            scoring.submit(lease, value=0, justification="", now=NOW)
            assert seen() == before
    assert not world["work"].assignments.filter(state="open").exists()


def without_csrf(response):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def test_an_annotator_of_one_project_sees_nothing_of_another(world, browser_of):
    outsider = make_member(make_project(), "annotator", "outsider")
    client = browser_of(outsider)
    for name, address in addresses(world, world["work"].project):
        if name not in {*OF_NO_PROJECT, *SHOWN_TO_EVERYBODY, *SHOWN_TO_WHO_SIGNED_IN}:
            assert client.get(address).status_code in (401, 403, 404, 405), address


@pytest.mark.parametrize(
    "kind", [scoring_page.ScoringItem, queries.RoundCard, scoring_page.Given, flagging.InHand]
)
def test_the_types_of_annotators_pages_have_no_field_for_it(kind):
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


# --- Every kind of round -------------------------------------------------------------------------


def rounds_of_each_kind(project, annotator):
    """A round of each kind, in each of which others have judged; and what is mixed into a round of scores."""
    prompt = project.prompts.get()
    yield make_kind(project, "rankings", prompt)
    yield make_kind(project, "categories", prompt)
    yield make_kind(project, "pairs", prompt)


def make_kind(project, kind, prompt):
    made = Round.objects.create(
        project=project,
        name=f"Round of {kind}",
        kind=kind,
        rubric=project.rubrics.get(),
        state="open",
        created_at=NOW,
        opened_at=NOW,
        ties_allowed=True,
    )
    responses = sorted(prompt.responses.values_list("pk", flat=True))
    for number in (1, 2, 3):
        if kind == "pairs":
            slots.of_pair(made, (responses[0], responses[1]), prompt.pk, number).save()
        else:
            slots.of_prompt(made, prompt.pk, number).save()
    return made


def judge(lease, work, words):
    if work.kind == "rankings":
        rankings.submit(lease, tiers=["A", "BCD"], justification=words, now=NOW)
    elif work.kind == "categories":
        category = work.project.genres.filter(parent=None).first().key
        category_votes.submit(lease, category=category, justification=words, now=NOW)
    else:
        preferences.submit(lease, preferred="a", justification=words, now=NOW)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_no_page_of_any_kind_of_round_says_more_than_what_is_judged(
    world, project, annotator, browser_of, language
):
    other = project.memberships.get(user__username=MARKERS["another's name"])
    client, seen = browser_of(annotator), set()
    headers = {"accept-language": language}
    for work in rounds_of_each_kind(project, annotator):
        judge(assignments.claim(other, work, now=NOW), work, MARKERS["another's justification"])
        place = client.post(reverse("next_text", args=[work.token]), headers=headers).url
        token = place.rstrip("/").rpartition("/")[2]
        for address in (
            place,
            "/",
            reverse("own_work"),
            *(reverse(name, args=[token]) for name in ("draft", "flag")),
        ):
            response = client.get(address, headers=headers)
            assert [leak for leak in leaks(response) if leak != "requirement"] == [], address
            assert response.status_code in (200, 405), address
        lease = Lease.objects.get(token=token)
        judge(lease, work, "words of one's own")
        # Each kind has a page of its own.
        assert client.get(reverse("score", args=[token])).status_code == 404
        for address in (
            place,
            reverse("own_work"),
            reverse("own_data"),
            reverse("finished", args=[work.token]),
        ):
            body = client.get(address, headers=headers)
            assert [leak for leak in leaks(body) if leak != "requirement"] == [], address
        seen.add(place.split("/")[1])
    assert seen == {"rank", "vote", "choose"}
