"""REST: models submitted to a release by a script, who may see them, and the leaderboard."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from curation import tasks
from curation.models import Comparison, Submission
from curation.services import submission_work, submissions
from tests.api.callers import Caller, refusal_of
from tests.curation.submissions import make_release, right_in, scores, submit
from tests.factories import NOW, make_member, make_project, make_user

pytestmark = pytest.mark.django_db
LIST = "/api/v1/releases/bridges/1.0.0/submissions/"
BOARD = "/api/v1/releases/bridges/1.0.0/leaderboard/"
LINES = {"content_type": "application/x-ndjson"}


@pytest.fixture(autouse=True)
def nudged(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.score_submission, "delay_on_commit", sent.append)
    return sent


@pytest.fixture
def release(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return make_release(project)


@pytest.fixture
def reader(release):
    return make_member(release.project, "adjudicator", "reader")


def sent_as_form(caller, content=None, **fields):
    content = right_in(4) if content is None else content
    body = {"file": SimpleUploadedFile("scores.jsonl", content), "model": "judge-1", **fields}
    return caller.client.post(LIST, body, headers=caller.headers)


def test_lines_are_submitted_scored_and_read(release, reader, nudged):
    caller = Caller(reader.user)
    answer = caller.post(f"{LIST}?model=judge-1&family=Judges", right_in(4), **LINES)
    assert answer.status_code == 202, answer.content
    made = answer.json()
    assert (made["state"], made["model"], made["family"], made["summary"]) == (
        "queued",
        "judge-1",
        "Judges",
        None,
    )
    assert nudged == [made["id"]]
    submission_work.execute(made["id"], clock=lambda: NOW)
    told = caller.get(made["url"]).json()
    assert told["state"] == "done"
    assert told["summary"]["accuracy"]["value"] == pytest.approx(4 / 6)
    assert told["result"]["splits"]["test"]["pairs"]["overall"]["pairs"] == 6
    assert [row["id"] for row in caller.all(LIST)] == [made["id"]]
    board = caller.get(BOARD).json()
    assert [(row["model"], row["submitted_by"]) for row in board["models"]] == [("judge-1", "reader")]
    assert board["beside"][0]["key"] == "human"


def test_a_form_is_taken_as_lines_are_and_twice_is_once(release, reader):
    caller = Caller(reader.user)
    first = sent_as_form(caller, note="Greedy.")
    assert first.status_code == 202, first.content
    again = caller.post(f"{LIST}?model=judge-1", right_in(4), **LINES)
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["note"] == "Greedy."
    assert Submission.objects.count() == 1


def test_one_too_many_where_labels_are_kept_back_says_when_to_come_again(project, settings):
    settings.SUBMISSIONS_A_DAY = 1
    make_release(project, pairs=12, heldout="labels", heldout_percent=50)
    url, caller = LIST, Caller(make_member(project, "adjudicator").user)
    assert caller.post(f"{url}?model=one", right_in(4), **LINES).status_code == 202
    answer = caller.post(f"{url}?model=two", right_in(4), **LINES)
    assert refusal_of(answer) == (429, "too_many_submissions")
    assert 0 < int(answer["Retry-After"]) <= 86_400


def test_a_key_sent_again_does_nothing_again(release, reader):
    caller = Caller(reader.user)
    key = {"Idempotency-Key": "one"}
    first, again = (caller.post(f"{LIST}?model=judge-1", right_in(4), **LINES, **key) for _ in range(2))
    assert again.json() == first.json()
    assert again["Idempotency-Replayed"] == "true"
    other = caller.post(f"{LIST}?model=judge-1", right_in(5), **LINES, **key)
    assert other.status_code in (409, 422)
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("query", "content", "refused", "said"),
    [
        ("", right_in(4), (422, "model_missing"), "Write the name"),
        ("?model=x&colour=red", right_in(4), (400, "unknown_parameter"), "colour"),
        ("?model=x&model=y", right_in(4), (400, "unknown_parameter"), "2 times"),
        (f"?model={'x' * 101}", right_in(4), (422, "model_too_long"), "100"),
        ("?model=%00", right_in(4), (400, "bad_parameter"), "model holds a NUL"),
        ("?model=a%E2%80%8Bb", right_in(4), (422, "model_unseen"), "cannot be seen"),
        ("?model=x", b"", (422, "file_missing"), "one file"),
        (
            "?model=x",
            b'{"response_id": "a", "score": true}',
            (422, "bad_predictions"),
            "Line 1, column score",
        ),
        ("?model=x", b'{"a": 1, "a": 2}', (422, "bad_predictions"), "Line 1"),
        ("?model=x", b"\xff\xfe", (422, "file_not_utf8"), "Line 1"),
        ("?model=x", b'{"response_id": "\\ud800", "score": 1}', (422, "bad_predictions"), "Line 1"),
    ],
)
def test_what_cannot_be_used_is_a_problem_and_nothing_is_written(
    release, reader, query, content, refused, said
):
    answer = Caller(reader.user).post(LIST + query, content, **LINES)
    assert refusal_of(answer) == refused
    assert said in answer.json()["detail"]
    assert not Submission.objects.exists()


def test_other_parts_other_types_and_no_file_are_refused(release, reader):
    caller = Caller(reader.user)
    assert sent_as_form(caller, published="true").status_code == 400
    assert refusal_of(caller.client.post(LIST, {"model": "x"}, headers=caller.headers)) == (
        422,
        "file_missing",
    )
    assert caller.post(LIST, {"model": "x"}).status_code == 415
    assert not Submission.objects.exists()


def test_too_much_is_refused(release, reader, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_BYTES", 20)
    answer = Caller(reader.user).post(f"{LIST}?model=x", right_in(4), **LINES)
    assert refusal_of(answer) == (422, "file_too_large")


def test_a_failed_one_says_why(release, reader):
    made = submit(release, reader.user, scores({"who": 1}))
    told = Caller(reader.user).get(f"{LIST}{made.pk}/").json()
    assert told["state"] == "failed"
    assert "no id of the file occurs in the release" in told["error"]


def test_who_does_not_read_the_release_finds_nothing(release, reader, lead, stranger):
    done = submit(release, lead.user)
    submissions.publish(done, by=lead.user, now=NOW)
    annotator = release.project.memberships.filter(role="annotator").first().user
    for person in (annotator, stranger, make_member(make_project(), "lead").user, make_user("else")):
        caller = Caller(person)
        for url in (LIST, BOARD, f"{LIST}{done.pk}/"):
            assert refusal_of(caller.get(url)) == (404, "not_found")
        assert refusal_of(caller.post(f"{LIST}?model=x", right_in(4), **LINES)) == (404, "not_found")
    assert Submission.objects.count() == 1
    for url in (LIST, BOARD, f"{LIST}{done.pk}/"):
        assert Caller(reader.user).get(url).status_code == 200


def test_what_is_private_is_its_senders_and_the_leads(release, reader, lead):
    done = submit(release, reader.user)
    other = Caller(make_member(release.project, "adjudicator", "other").user)
    for caller, seen in ((Caller(reader.user), 1), (Caller(lead.user), 1), (other, 0)):
        assert len(caller.all(LIST)) == len(caller.get(BOARD).json()["models"]) == seen
        assert caller.get(f"{LIST}{done.pk}/").status_code == (200 if seen else 404)
    submissions.publish(done, by=lead.user, now=NOW)
    assert [row["published"] for row in other.all(LIST)] == [True]


def test_tokens_read_and_submit_as_their_scopes_say(release, reader):
    reading, submitting, writing = (
        Caller(reader.user, scopes=(scope,)) for scope in ("read", "submit", "write")
    )
    assert reading.get(LIST).status_code == 200
    for caller in (reading, writing):
        assert refusal_of(caller.post(f"{LIST}?model=x", right_in(4), **LINES)) == (403, "scope_missing")
    assert submitting.post(f"{LIST}?model=x", right_in(4), **LINES).status_code == 202
    assert refusal_of(submitting.get(LIST)) == (403, "scope_missing")


def test_the_list_comes_in_pages_and_orders(release, reader):
    for n in range(3):
        submit(release, reader.user, right_in(n), model=f"judge-{n}")
    caller = Caller(reader.user)
    first = caller.get(f"{LIST}?page_size=2&ordering=model").json()
    assert [row["model"] for row in first["results"]] == ["judge-0", "judge-1"]
    assert [row["model"] for row in caller.get(first["next"]).json()["results"]] == ["judge-2"]
    assert json.loads(caller.get(f"{LIST}?ordering=score").content)["status"] == 400


def test_the_addresses_are_those_that_are_told(release, lead):
    assert reverse("api_submissions", args=["bridges", "1.0.0"]) == LIST
    assert reverse("api_leaderboard", args=["bridges", "1.0.0"]) == BOARD


def test_two_are_compared_once_and_read(release, reader, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.compare_submissions, "delay_on_commit", sent.append)
    one = submit(release, reader.user)
    other = submit(release, reader.user, right_in(2), model="judge-2")
    address = f"{LIST}{one.pk}/comparison/?against={other.pk}"
    caller = Caller(reader.user)
    assert caller.get(address).status_code == 404  # reading asks for nothing
    assert not Comparison.objects.exists()
    assert [caller.post(address, b"").status_code for _ in range(2)] == [202, 202]
    made = Comparison.objects.get()
    assert set(sent) == {made.pk}
    submission_work.compare(made.pk, clock=lambda: NOW)
    told = caller.get(address).json()
    assert (told["first"], told["second"], told["state"]) == (other.pk, one.pk, "done")
    assert told["result"]["pairs"]["overall"]["difference"]["value"] == pytest.approx(-2 / 6)


def test_a_comparison_is_refused_without_two_that_are_seen(release, reader, lead, stranger, monkeypatch):
    monkeypatch.setattr(tasks.compare_submissions, "delay_on_commit", lambda pk: None)
    one = submit(release, reader.user)
    hidden = submit(release, lead.user, right_in(2), model="judge-2")
    address = f"{LIST}{one.pk}/comparison/"
    caller = Caller(reader.user)
    for query in ("", "?against=", "?against=x", "?against=²", f"?against={'9' * 19}"):
        assert caller.get(f"{address}{query}").status_code == 400, query
        assert caller.post(f"{address}{query}", b"").status_code == 400, query
    assert caller.post(f"{address}?against={one.pk}", b"").status_code in (400, 409, 422)
    for query in (f"?against={hidden.pk}", "?against=999999999999999999"):
        assert caller.post(f"{address}{query}", b"").status_code == 404
    assert Caller(stranger).post(f"{address}?against={hidden.pk}", b"").status_code == 404
    assert not Comparison.objects.exists()
    asked = Caller(lead.user).post(f"{address}?against={hidden.pk}", b"")
    assert asked.status_code == 202, asked.content
