"""REST: the steps of an import for a lead's token; for others it does not exist or is not theirs."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation import tasks
from annotation.models import Import, ImportJob, Response, Score
from annotation.services import imports, imports_run, jobs, tokens
from config import upload
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db

LIST = "/api/v1/projects/bridges/imports/"
TEXTS = """response_id,prompt_id,prompt,text,genre,annotator,score
r1,p1,Write about a bridge.,The bridge was long and nobody crossed it twice.,fiction,ann@example.org,3
r2,p1,Write about a bridge.,There once was a bridge over a river of ink.,fiction,ann@example.org,1
"""
BAD = "r3,p1,Write about a bridge.,A third bridge fell into the sea.,fiction,ann@example.org,7\n"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.run_import_job, "delay_on_commit", sent.append)
    return sent


class Caller:
    """A client with a token."""

    def __init__(self, client, user):
        token = tokens.create(user, name="script", now=timezone.now(), days=None)
        self.client, self.headers = client, {"authorization": f"Bearer {token}"}

    def get(self, url):
        return self.client.get(url, headers=self.headers)

    def upload(self, content=TEXTS, name="texts.csv", **more):
        file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
        return self.client.post(LIST, {"file": [file], **more}, headers=self.headers)

    def send(self, method, url, body=None):
        raw = body if isinstance(body, str) else json.dumps({} if body is None else body)
        send = getattr(self.client, method)
        return send(url, raw, content_type="application/json", headers=self.headers)


@pytest.fixture
def caller(client, lead, nudged):
    return Caller(client, lead.user)


@pytest.fixture
def draft(caller):
    assert caller.upload().status_code == 201
    return Import.objects.get()


def url(found, tail=""):
    return f"{LIST}{found.pk}/{tail}"


def work(found):
    for job in found.jobs.filter(state=ImportJob.State.QUEUED):
        imports_run.execute(job.pk, clock=lambda: NOW)
    found.refresh_from_db()


def error_of(response):
    return response.json()


# --- The steps -------------------------------------------------------------------------------------


def test_an_upload_says_what_the_files_are(caller):
    response = caller.upload()
    told = response.json()
    found = Import.objects.get()
    assert response.status_code == 201
    assert (told["id"], told["state"], told["layout"]) == (found.pk, "draft", "generic")
    assert told["url"].endswith(url(found))
    assert told["shape"] == {"format": "delimited", "encoding": "utf-8", "delimiter": ",", "sheet": ""}
    assert told["columns"][:2] == ["response_id", "prompt_id"]
    assert told["field_map"]["fields"]["text"]["columns"] == ["text"]
    assert (told["missing"], told["job"], told["report"]) == ([], None, None)
    assert told["files"][0]["name"] == "texts.csv"
    assert "path" not in told["files"][0]


def test_it_is_checked_stored_and_undone(caller, draft, nudged):
    asked = caller.send("post", url(draft, "check/"))
    assert (asked.status_code, asked.json()["job"]["state"]) == (202, "queued")
    assert nudged == [asked.json()["id"] and draft.jobs.get().pk]
    work(draft)
    told = caller.get(url(draft)).json()
    assert (told["job"]["state"], told["report"]["responses"], told["report"]["scores"]) == ("done", 2, 2)
    assert caller.send("post", url(draft, "store/")).status_code == 202
    work(draft)
    assert caller.get(url(draft)).json()["state"] == "stored"
    assert Response.objects.count() == Score.objects.count() == 2
    assert caller.send("post", url(draft, "undo/")).status_code == 202
    work(draft)
    assert caller.get(url(draft)).json()["state"] == "undone"
    assert Response.objects.count() == 0


def test_refused_rows_have_place_and_reason_and_are_left_out_on_request(caller):
    caller.upload(TEXTS + BAD)
    found = Import.objects.get()
    caller.send("post", url(found, "check/"))
    work(found)
    report = caller.get(url(found)).json()["report"]
    problem = report["problems"][0]
    assert (report["refused"], problem["file"], problem["unit"], problem["line"]) == (
        1,
        "texts.csv",
        "line",
        4,
    )
    assert problem["column"] == "score"
    assert problem["reason"].startswith('"7" is not a score')
    caller.send("post", url(found, "store/"))
    work(found)
    assert found.state == Import.State.DRAFT
    assert caller.send("post", url(found, "store/"), {"leave_out_bad_rows": True}).status_code == 202
    work(found)
    assert found.state == Import.State.STORED
    assert Response.objects.count() == 2


def test_a_field_map_may_come_with_the_files_or_later(caller, draft):
    plan = {**draft.field_map, "unknown_genres": "add"}
    told = caller.upload(field_map=json.dumps(plan)).json()
    assert told["field_map"]["unknown_genres"] == "add"
    put = caller.send("put", url(draft, "field_map/"), {"field_map": plan, "keep_names": True})
    assert put.status_code == 200
    draft.refresh_from_db()
    assert (draft.field_map["unknown_genres"], draft.keep_names) == ("add", True)


def test_the_files_are_read_another_way(caller, draft):
    shape = {**draft.shape, "delimiter": ";"}
    told = caller.send("put", url(draft, "field_map/"), {"shape": shape, "layout": "generic"}).json()
    assert told["shape"]["delimiter"] == ";"
    assert len(told["columns"]) == 1
    refused = caller.send("put", url(draft, "field_map/"), {"layout": "nothing"})
    assert (refused.status_code, error_of(refused)["place"]["column"]) == (422, "layout")


@pytest.mark.parametrize(
    "wrong", [{"keep_names": "yes"}, {"field_map": {"fields": {"text": {"columns": ["x"]}}}}]
)
def test_files_are_not_read_another_way_by_a_call_that_is_refused(caller, draft, wrong):
    before = (draft.shape, draft.field_map, draft.files)
    shape = {**draft.shape, "delimiter": ";"}
    assert caller.send("put", url(draft, "field_map/"), {"shape": shape, **wrong}).status_code in (400, 422)
    draft.refresh_from_db()
    assert (draft.shape, draft.field_map, draft.files) == before


def test_a_check_that_is_named_has_to_be_the_one_that_holds(caller, draft):
    caller.send("post", url(draft, "check/"))
    work(draft)
    check = caller.get(url(draft)).json()["job"]["id"]
    caller.send("put", url(draft, "field_map/"), {"field_map": draft.field_map})
    refused = caller.send("post", url(draft, "store/"), {"check": check, "leave_out_bad_rows": True})
    assert (refused.status_code, error_of(refused)["code"]) == (409, "another_check")
    draft.refresh_from_db()
    assert not draft.leave_out_bad_rows
    caller.send("post", url(draft, "check/"))
    work(draft)
    assert caller.send("post", url(draft, "store/"), {"check": check}).status_code == 409
    assert caller.send("post", url(draft, "store/"), {"check": str(check)}).status_code == 400
    newest = draft.jobs.latest("pk").pk
    assert caller.send("post", url(draft, "store/"), {"check": newest}).status_code == 202


def test_imports_are_listed_newest_first(caller, draft):
    caller.upload()
    listed = caller.get(LIST).json()["results"]
    assert [one["id"] for one in listed] == [draft.pk + 1, draft.pk]


def test_a_draft_is_deleted_and_nothing_else(caller, draft):
    caller.send("post", url(draft, "store/"))
    work(draft)
    refused = caller.send("delete", url(draft))
    assert (refused.status_code, error_of(refused)["code"]) == (409, "not_a_draft")
    caller.upload()
    other = Import.objects.latest("pk")
    assert caller.send("delete", url(other)).status_code == 204
    assert caller.get(url(other)).status_code == 404


# --- What is refused -------------------------------------------------------------------------------


def test_a_job_says_why_it_failed(caller, draft):
    caller.send("post", url(draft, "check/"))
    now = timezone.now()
    ImportJob.objects.update(state="running", attempt=jobs.ATTEMPTS, claimed_by="worker", lease_until=now)
    assert jobs.give_up(ImportJob, now=now) == 1
    said = "The worker stopped before the end, 3 times. Its log says more."
    assert caller.get(url(draft)).json()["job"]["error"] == said


def test_a_file_that_cannot_be_read_is_an_error_with_its_place(caller):
    response = caller.upload("a,b\n1,2\n1,2,3\n")
    place = error_of(response)["place"]
    assert (response.status_code, place["unit"], place["line"]) == (422, "line", 3)
    response = caller.upload(b"%PDF-1.7\n", name="x.csv")
    error = error_of(response)
    assert (response.status_code, error["code"], error["place"]["file"]) == (422, "bad_input", "x.csv")
    assert error["detail"]


def test_a_call_without_a_file_is_refused(caller, client):
    response = client.post(LIST, {}, headers=caller.headers)
    assert (response.status_code, error_of(response)["code"]) == (422, "no_file")
    response = caller.send("post", LIST, {})
    assert response.status_code == 415


NOT_JSON = ("{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 5000 + "]" * 5000, '{"a": ' + "9" * 5000 + "}")
NOT_TEXT = ('{"a": "\\ud83d"}', '{"a": "\\u0000"}')
NOT_ASKED_FOR = ("[]", '"x"', '{"owner": 1}', '{"field_map": {}, "project": 2}', '{"keep_names": 1, "x": 2}')


@pytest.mark.parametrize("body", [*NOT_JSON, *NOT_TEXT, *NOT_ASKED_FOR])
def test_a_body_that_is_not_what_is_asked_for_is_a_400(caller, draft, body):
    for method, tail in (("put", "field_map/"), ("post", "store/"), ("post", "check/")):
        response = caller.send(method, url(draft, tail), body)
        assert (response.status_code, error_of(response)["code"]) == (400, "parse_error")
    assert not draft.jobs.exists()


def test_yes_and_no_are_true_and_false(caller, draft):
    for method, tail, body in (
        ("put", "field_map/", {"keep_names": "yes"}),
        ("post", "store/", {"leave_out_bad_rows": 1}),
    ):
        assert caller.send(method, url(draft, tail), body).status_code == 400


@pytest.mark.parametrize(
    ("plan", "place"),
    [
        ({"fields": {"txt": {"columns": ["text"]}}}, "fields"),
        ({"fields": {"text": {"columns": ["txet"]}}}, "field_map"),
        ({"fields": {"text": {"columns": ["text"], "constant": "x"}}}, "fields.text"),
        ({"scores": {"good": 4}}, "scores.good"),
        ([], ""),
    ],
)
def test_a_wrong_field_map_is_refused_and_changes_nothing(caller, draft, plan, place):
    before = draft.field_map
    refused = caller.send("put", url(draft, "field_map/"), {"field_map": plan})
    assert (refused.status_code, error_of(refused)["place"]["column"]) == (422, place)
    draft.refresh_from_db()
    assert draft.field_map == before
    refused = caller.upload(field_map=json.dumps(plan))
    assert refused.status_code == 422
    assert Import.objects.count() == 1


def test_nothing_mapped_is_said(caller, draft):
    caller.send("put", url(draft, "field_map/"), {"field_map": {}})
    refused = caller.send("post", url(draft, "check/"))
    assert (refused.status_code, error_of(refused)["code"]) == (422, "nothing_mapped")


def test_a_second_job_waits(caller, draft):
    caller.send("post", url(draft, "check/"))
    refused = caller.send("post", url(draft, "store/"))
    assert (refused.status_code, error_of(refused)["code"]) == (409, "import_at_work")


def test_a_body_over_the_limit_is_refused_in_the_same_shape(caller, draft, monkeypatch, settings):
    monkeypatch.setattr(upload, "MAX_TOGETHER", 100)
    response = caller.upload(TEXTS * 10)
    assert (response.status_code, error_of(response)["code"]) == (413, "too_large")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    response = caller.send("put", url(draft, "field_map/"), {"field_map": {"x": "y" * 200}})
    assert (response.status_code, error_of(response)["code"]) == (413, "too_large")


def test_a_file_over_its_limit_is_refused(caller, monkeypatch, settings):
    monkeypatch.setattr(upload, "MAX_BYTES", 100)
    monkeypatch.setattr(imports, "MAX_BYTES", 100)
    refused = caller.upload(TEXTS * 100)
    assert (refused.status_code, error_of(refused)["code"]) == (422, "too_large")
    assert [path for path in settings.IMPORTS_DIR.rglob("*") if path.is_file()] == []


# --- Who may ---------------------------------------------------------------------------------------

TAILS = (
    ("get", ""),
    ("delete", ""),
    ("put", "field_map/"),
    ("post", "check/"),
    ("post", "store/"),
    ("post", "undo/"),
)


def answers(caller, found):
    codes = {caller.get(LIST).status_code, caller.upload().status_code}
    return codes | {
        caller.send(method, url(found, tail)).status_code for method, tail in TAILS if method != "get"
    }


@pytest.mark.parametrize("role", ["annotator", "instructor", "adjudicator"])
def test_other_roles_are_refused(client, draft, project, role):
    assert answers(Caller(client, make_member(project, role).user), draft) == {403}


def test_for_strangers_and_leads_of_other_projects_it_does_not_exist(client, draft, stranger):
    elsewhere = make_member(make_project("elsewhere"), "lead")
    for user in (stranger, elsewhere.user):
        assert answers(Caller(client, user), draft) == {404}
    other = f"/api/v1/projects/elsewhere/imports/{draft.pk}/"
    assert Caller(client, elsewhere.user).get(other).status_code == 404


def test_without_a_token_everything_is_refused(client, draft, browser_of, lead):
    for person in (client, browser_of(lead)):
        assert person.get(LIST).status_code == 401
        assert person.post(LIST, {"file": [SimpleUploadedFile("x.csv", b"a")]}).status_code == 401
        assert person.post(url(draft, "store/"), "{}", content_type="application/json").status_code == 401
    assert Import.objects.count() == 1
