"""Requests that mean harm, at every address that there is: a clear refusal, nothing written, nothing given away.

The routes come from the URLconf, so one that is added is asked too, or fails here until tests/api/routes.py and the
tables below know what it is made of.
"""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation import tasks as annotation_tasks
from annotation.models import Import
from api.base import View
from config import upload
from curation import tasks
from curation.services import recipes, runs, submissions
from tests.api.callers import Caller, asked_models, fill
from tests.api.routes import METHODS, OPEN, UNSAFE, routes
from tests.api.tables import row_counts, row_digests
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, make_user

pytestmark = pytest.mark.django_db
ROUTES = routes()
ASKED = [route for route in ROUTES if route.name not in OPEN]
WRITING = [(route, method) for route in ASKED for method in route.methods if method in UNSAFE]
# Writes whose body is a form, and those that have none: what is said of JSON does not hold for them.
OF_FORMS = {("api_imports", "post"), ("api_submissions", "post")}
OF_NO_BODY = {("api_comparison", "post")}
WITH_A_BODY = [(r, m) for r, m in WRITING if m != "delete" and (r.name, m) not in {*OF_FORMS, *OF_NO_BODY}]
FOR_OPERATORS = {"api_projects": (403,)}  # who asks is looked at before what is asked
TRACES = ("Traceback", "site-packages", 'File "', "django.", "sqlite", "psycopg", "SELECT ")
MEMBERS = ("lead", "instructor", "adjudicator", "annotator")
OUTSIDERS = ("other lead", "stranger", "limited", "nobody")


def name_of(case):
    return f"{case[1]} {case[0].name}" if isinstance(case, tuple) else getattr(case, "name", None)


@pytest.fixture(autouse=True)
def _asked_often(settings, tmp_path, monkeypatch):
    settings.API_REQUESTS_PER_MINUTE = settings.API_FAILURES_PER_MINUTE = 10**6
    settings.RELEASES_DIR, settings.IMPORTS_DIR = tmp_path / "releases", tmp_path / "imports"
    for nudge in (tasks.run_curation, tasks.freeze_release, tasks.compute_report):
        monkeypatch.setattr(nudge, "delay_on_commit", lambda *args: None)
    monkeypatch.setattr(annotation_tasks.run_import_job, "delay_on_commit", lambda *args: None)


@pytest.fixture
def world(project, lead):
    return fill(project)


@pytest.fixture
def other(lead):
    """Another project with something of its own, and who leads it."""
    found = make_project("tunnels")
    chief = make_member(found, "lead", "elsewhere")
    for name in ("foreign-a", "foreign-b"):
        make_response(make_prompt(found, f"prompt-{name}"), name)
    make_round(found, name="Round of tunnels")
    recipe = recipes.save(found, parameters={}, by=None, now=NOW)
    run = runs.request(found, recipe=recipe, by=None, now=NOW)
    _, plan = asked_models(found, chief, "foreign-a")
    draft = _draft(Caller(chief.user), "tunnels")
    return {"project": found, "lead": chief, "run": run, "import": draft, "plan": plan}


def _draft(caller, slug):
    file = SimpleUploadedFile("texts.csv", b"prompt,response,model\nWrite.,Once.,a\n")
    answer = caller.client.post(f"/api/v1/projects/{slug}/imports/", {"file": [file]}, headers=caller.headers)
    return Import.objects.get(pk=answer.json()["id"])


@pytest.fixture
def caller(world, lead):
    return Caller(lead.user)


@pytest.fixture
def values(world, caller, lead):
    draft = _draft(caller, "bridges")
    imports = ("", "_check", "_store", "_undo", "_field_map")
    ranked = {
        f"api_round{tail}.name": world.ranked.name for tail in ("", "_open", "_pause", "_resume", "_lock")
    }
    of_releases = ("release", "release_file", "project_release", "submissions", "submission", "comparison")
    named = {f"api_{kind}.name": "bridges" for kind in (*of_releases, "leaderboard", "release_archive")}
    predicted = b'{"response_id": "p0-0", "score": 1}\n'
    submitted = submissions.request(world.release, content=predicted, model="one", by=lead.user, now=NOW)
    return {
        "slug": "bridges",
        "key": "fiction",
        "number": 1,
        "username": "ursula",
        "kind": "scores",
        "name": world.recipe.name,
        "version": "1.0.0",
        "path": "manifest.json",
        "code": "not_found",
        "pk": world.run.pk,
        "api_authored_prompt.key": world.authored.key,
        **{f"api_{kind}.pk": world.plan.pk for kind in ("plan", "requests")},
        "api_prompt.id": "p0",
        "api_response.id": "p0-0",
        "api_agreement_table.name": "pairs",
        **{f"api_import{tail}.pk": draft.pk for tail in imports},
        **{f"api_{kind}.pk": submitted.pk for kind in ("submission", "comparison")},
        **ranked,
        **named,
    }


@pytest.fixture
def foreign(values, other):
    """The same addresses with what belongs to the other project, or to nobody."""
    return {
        **{key: other["run"].pk if key == "pk" else "foreign-a" for key in values},
        "slug": "bridges",
        "number": 99,
        "username": "elsewhere",
        "api_prompt.id": "prompt-foreign-a",
        **dict.fromkeys(("api_plan.pk", "api_requests.pk"), other["plan"].pk),
        **{key: other["import"].pk for key in values if key.startswith("api_import")},
        **{key: "Round of tunnels" for key in values if key.startswith("api_round")},
    }


@pytest.fixture
def callers(world, lead, other):
    project = world.project
    found = {
        "lead": Caller(lead.user),
        "instructor": Caller(make_member(project, "instructor", "inge").user),
        "adjudicator": Caller(make_member(project, "adjudicator", "adam").user),
        "annotator": Caller(project.memberships.get(user__username="ursula").user),
        "other lead": Caller(other["lead"].user),
        "stranger": Caller(make_user("nobody")),
        "nobody": Caller(make_user("no-token")),
    }
    other["project"].memberships.create(user=lead.user, role="lead", joined_at=timezone.now())
    found["limited"] = Caller(lead.user, project=other["project"])
    found["nobody"].headers = {}
    return found


def send(caller, method, url, body="{}", **headers):
    raw = body.encode() if isinstance(body, str) else body
    kind = headers.pop("content_type", "application/json")
    if method in ("get", "head", "options"):
        return getattr(caller.client, method)(url, headers={**caller.headers, **headers})
    return getattr(caller.client, method)(url, raw, content_type=kind, headers={**caller.headers, **headers})


def assert_refused(answer, what, allowed=range(400, 500)):
    assert answer.status_code in allowed, f"{what}: {answer.status_code} {answer.content[:300]}"
    assert answer["Content-Type"] == "application/problem+json", what
    told = answer.json()
    assert {"type", "title", "status", "detail", "code"} <= set(told), what
    assert not [trace for trace in TRACES if trace in answer.content.decode()], what
    return told["code"]


# --- Who asks for what -------------------------------------------------------------------------------------


def test_every_route_is_one_of_ours_and_has_methods():
    assert len(ROUTES) > 40
    for route in ASKED:
        assert issubclass(route.view, View), f"{route.name} is no View of api/base.py"
        assert route.methods, route.name


@pytest.mark.parametrize("role", OUTSIDERS)
def test_who_has_no_part_in_a_project_reaches_nothing_of_it_by_any_method(callers, values, role):
    before = row_digests()
    for route in ASKED:
        for method in METHODS if route.is_of_project else route.methods:
            answer = send(callers[role], method, route.url(values))
            what = f"{role}: {method} {route.name}"
            if role == "nobody":
                assert_refused(answer, what, (401,))
            elif route.is_of_project:
                assert_refused(answer, what, (404, 405, 415))
            elif answer.status_code == 200:
                assert b"bridges" not in answer.content.lower(), what
    assert row_digests() == before


@pytest.mark.parametrize("role", ["instructor", "adjudicator", "annotator"])
def test_who_does_not_lead_a_project_changes_nothing_by_any_method(callers, values, role):
    before = row_digests()
    for route in ASKED:
        for method in UNSAFE:
            answer = send(callers[role], method, route.url(values))
            assert_refused(answer, f"{role}: {method} {route.name}", (403, 404, 405, 415))
    assert row_digests() == before


@pytest.mark.parametrize("role", MEMBERS)
def test_ids_of_another_project_are_as_good_as_none(callers, foreign, role):
    before = row_digests()
    for route in ASKED:
        if route.is_of_project and len(route.keys) > 1:
            for method in METHODS:
                answer = send(callers[role], method, route.url(foreign))
                assert_refused(answer, f"{role}: {method} {route.name}", (403, 404, 405, 415))
    assert row_digests() == before


def test_a_token_for_reading_changes_nothing_by_any_method(lead, values):
    caller = Caller(lead.user, scopes=["read", "submit"])
    before = row_digests()
    for route in ASKED:
        for method in UNSAFE:
            answer = send(caller, method, route.url(values))
            if route.view.unsafe_scope != "submit":
                assert assert_refused(answer, f"{method} {route.name}", (403,)) == "scope_missing"
    assert row_digests() == before


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_looking_changes_no_row(callers, values, method):
    before = row_digests()
    for route in ASKED:
        for role in (*MEMBERS, "stranger", "limited"):
            answer = send(callers[role], method, route.url(values))
            assert answer.status_code < 500
            if answer.streaming:
                b"".join(answer.streaming_content)
    assert row_digests() == before


# --- What stands in the address ------------------------------------------------------------------------------

KEYS = [
    "user__password__startswith",
    "memberships__user__password",
    "project__slug__regex",
    "id__in",
    "pk",
    "pk__gt",
    "_connector",
    "_negated",
    "__class__",
    "password",
    "token",
    "a%20b",
    "x.y",
    "x[y]",
    "ordering%5B%5D",
    "ORDERING",
    "fields",
    "expand",
    "include",
    "search",
    "format",
    "q",
    "or",
    "and",
    "limit",
    "offset",
    "page",
    "_method",
    "method",
    "role__in",
    "lead",
    "gold__gte",
    "source_model__startswith",
    "response__text__contains",
    "annotator__user__email",
    "scores__value",
    "%00",
    "%0A",
    "%F0%9F%98%80",
    "%E4%BD%A0",
    "'",
    '"',
    ")",
    ";",
    "--",
    "\\",
    "$where",
    "constructor",
    "__proto__",
    "created_at__lte",
    "is_superuser",
    "user_id",
]


@pytest.mark.parametrize("route", ASKED, ids=name_of)
def test_a_parameter_that_is_not_listed_is_refused(caller, values, route):
    before = row_counts()
    for method in route.methods:
        for key in KEYS if method == "get" else KEYS[:3]:
            answer = send(caller, method, f"{route.url(values)}?{key}=1")
            assert assert_refused(answer, f"{method} {route.name} {key}", (400,)) == "unknown_parameter"
    assert row_counts() == before


VALUES = [
    *(
        "-1",
        "0",
        "501",
        "9" * 5000,
        "1e9",
        "NaN",
        "%00",
        "%0d%0aSet-Cookie:%20a=b",
        "%F0%9F%98%80",
        "%ff",
        "' OR 1=1--",
    ),
    *("..%2f..%2fetc%2fpasswd", "{{7*7}}", "%ED%A0%80", "plumb_secret", "WyJwayIsMSwxLGZhbHNlXQ", "a" * 9000),
]


@pytest.mark.parametrize("route", ASKED, ids=name_of)
def test_a_value_that_cannot_be_asked_for_is_refused_or_finds_nothing(caller, values, route):
    """Of filters that take any name it finds nothing; every other is refused."""
    before = row_counts()
    if "get" not in route.methods:
        return
    request = caller.get(f"{route.url(values)}?there_is_no_such_parameter=1").json()
    known = request["detail"].partition("this address takes ")[2].rstrip(".").split(", ")
    for name in known if known != ["no parameters"] else []:
        for value in VALUES:
            answer = caller.get(f"{route.url(values)}?{name}={value}")
            if answer.status_code == 200 and name not in ("cursor", "page_size", "ordering"):
                assert answer.json().get("results", []) == []
            else:
                assert_refused(answer, f"{route.name}?{name}={value[:30]}", (400, 404))
            assert "Set-Cookie" not in answer
    assert row_counts() == before


PLACES = [
    "%00",
    "..%2f..%2fsettings",
    "%ff",
    "'%22--",
    "9" * 400,
    "-1",
    "0",
    "%0d%0aX:%20y",
    "a" * 3000,
    "%ED%A0%80",
]


@pytest.mark.parametrize("route", [r for r in ASKED if len(r.keys) > 0], ids=name_of)
def test_a_place_that_no_database_takes_is_not_there(caller, values, route):
    """Addresses are put together by hand: of such places none can be made that the site itself would make."""
    before = row_digests()
    for key in route.keys:
        marked = {**{each: values.get(f"{route.name}.{each}", values.get(each)) for each in route.keys}}
        path = "/" + route.route.replace("^", "")
        for each in route.keys:
            start, _, rest = path.partition("<")
            _, _, rest = rest.partition(">")
            path = start + ("\0" if each == key else str(marked[each])) + rest
        for place in PLACES:
            for method in route.methods:
                answer = send(caller, method, path.replace("\0", place))
                assert_refused(answer, f"{method} {route.name} {place[:20]}", (404, 405))
    assert row_digests() == before


# --- What stands in the body ---------------------------------------------------------------------------------

BODIES = {
    "nested deep": "[" * 5000 + "]" * 5000,
    "objects nested deep": '{"a":' * 5000 + "1" + "}" * 5000,
    "a name nested deep": '{"name": ' + "[" * 5000 + "]" * 5000 + "}",
    "a huge integer": '{"name": ' + "9" * 5000 + "}",
    "a huge exponent": '{"name": 1e999}',
    "NaN": '{"name": NaN}',
    "Infinity": '{"name": -Infinity}',
    "a key twice": '{"name": "a", "name": "b"}',
    "half a surrogate pair": '{"name": "\\ud800"}',
    "half a pair in a key": '{"\\udfff": 1}',
    "NUL": '{"name": "a\\u0000b"}',
    "NUL itself": b'{"name": "a\x00b"}',
    "not UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "cut off": '{"name": "x',
    "a list": '[{"name": "x"}]',
    "a string": '"name"',
    "a number": "17",
    "a key of a parent": '{"__proto__": {"role": "lead"}, "constructor": 1}',
    "comments": '{/* */ "name": "x"}',
    "two values": "{} {}",
}


@pytest.mark.parametrize("case", WITH_A_BODY, ids=name_of)
def test_a_body_that_is_not_strictly_one_object_is_refused(caller, values, case):
    route, method = case
    before = row_digests()
    for what, body in BODIES.items():
        answer = send(caller, method, route.url(values), body)
        assert_refused(
            answer, f"{method} {route.name}: {what}", (400, 405, *FOR_OPERATORS.get(route.name, ()))
        )
    assert row_digests() == before


@pytest.mark.parametrize("case", [(r, m) for r, m in WRITING if m != "delete"], ids=name_of)
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "text/html", "a/b", "json"]
)
def test_a_body_of_another_type_is_refused(caller, values, case, kind):
    route, method = case
    if (route.name, method) in OF_NO_BODY:
        return
    before = row_digests()
    answer = send(caller, method, route.url(values), "name=x&role=lead", content_type=kind)
    assert_refused(answer, f"{method} {route.name}", (415, *FOR_OPERATORS.get(route.name, ())))
    assert row_digests() == before


EXTRA = {
    **{
        "project": "tunnels",
        "project_id": 1,
        "slug": "tunnels",
        "user": 1,
        "user_id": 1,
        "annotator": 1,
        "id": 1,
    },
    **{"pk": 1, "created_at": "2020-01-01T00:00:00Z", "joined_at": "2020-01-01T00:00:00Z", "frozen_at": None},
    **{"is_superuser": True, "is_active": False, "password": "x", "sessions_ended": 0, "pseudonym": "a"},
    **{
        "digest": "0",
        "queued_by": 1,
        "is_gold": True,
        "needed": 0,
        "memberships": [],
        "scopes": "read write",
    },
}


@pytest.mark.parametrize("case", WITH_A_BODY, ids=name_of)
def test_nothing_is_taken_that_is_not_asked_for(caller, values, case):
    route, method = case
    before = row_digests()
    for name, value in EXTRA.items():
        answer = send(caller, method, route.url(values), json.dumps({name: value}))
        assert_refused(answer, f"{method} {route.name}: {name}", (400, 403))
    assert row_digests() == before


@pytest.mark.parametrize("case", WRITING, ids=name_of)
def test_a_body_that_is_too_large_is_refused_unread(caller, values, case, settings, monkeypatch):
    route, method = case
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    monkeypatch.setattr(upload, "MAX_TOGETHER", 1000)
    before = row_digests()
    answer = send(caller, method, route.url(values), '{"name": "' + "x" * 2000 + '"}')
    assert_refused(
        answer, f"{method} {route.name}", (413, 415) if (route.name, method) in OF_FORMS else (413,)
    )
    assert row_digests() == before


# --- What stands in the headers ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", WRITING, ids=name_of)
def test_a_key_that_was_used_for_something_else_opens_nothing(caller, values, case):
    route, method = case
    used = {"idempotency-key": "used"}
    ask = "/api/v1/projects/bridges/agreement/"
    assert send(caller, "post", ask, '{"since": "2026-01-01"}', **used).status_code == 202
    before = row_digests()
    kind = "multipart/form-data; boundary=x" if (route.name, method) in OF_FORMS else "application/json"
    body = b"--x--\r\n" if (route.name, method) in OF_FORMS else "{}"
    answer = send(caller, method, route.url(values), body, content_type=kind, **used)
    wanted = (409,) if route.name != "api_projects" else (409, 403)
    assert assert_refused(answer, f"{method} {route.name}", wanted) == "idempotency_conflict"
    assert row_digests() == before


HEADERS = [
    {"x-http-method-override": "DELETE"},
    {"x-forwarded-host": "evil.example.org"},
    {"x-original-url": "/api/v1/projects/tunnels/"},
    {"x-forwarded-for": "127.0.0.1"},
    {"cookie": "sessionid=x; csrftoken=y"},
    {"accept-language": "zz-" * 500},
    {"if-none-match": 'W/"' + "x" * 5000},
    {"if-modified-since": "yesterday"},
    {"range": "bytes=99999999999999999999-"},
    {"range": "bytes=" + ",".join(f"{n}-{n}" for n in range(500))},
    {"authorization": "Bearer a\r\nSet-Cookie: a=b"},
]


@pytest.mark.parametrize("headers", HEADERS, ids=lambda headers: next(iter(headers)))
def test_headers_lead_nowhere(caller, values, headers):
    before = row_digests()
    for route in ASKED:
        if "get" in route.methods:
            answer = send(caller, "get", route.url(values), **headers)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            assert answer.status_code < 500, route.name
            assert b"evil.example.org" not in body
            assert not answer.cookies or "cookie" in headers  # one that is no session is taken away
            if answer.status_code >= 400:
                assert_refused(answer, route.name)
    assert row_digests() == before


def test_a_session_is_no_token(callers, values, lead):
    """Whoever is signed in to the pages is asked for a token all the same, so that no other site's form can write."""
    client = Client()
    client.force_login(lead.user)
    before = row_digests(besides=("django_session",))  # which lasts longer for whoever comes back
    for route, method in WRITING:
        answer = getattr(client, method)(route.url(values), "{}", content_type="application/json")
        assert_refused(answer, route.name, (401,))
    assert row_digests(besides=("django_session",)) == before
