"""Predictions sent for a release: what is taken, what becomes of them, and what never changes."""

import json
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.errors import DomainError, Invalid, TooMany
from annotation.models import JournalEntry
from annotation.queries.journal_sentences import sentence
from annotation.services import jobs
from curation import tasks
from curation.models import Comparison, Publication, Submission
from curation.services import submission_work, submissions
from tests.curation.submissions import make_release, right_in, scores, submit
from tests.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"


@pytest.fixture
def release(project):
    return make_release(project)


def request(release, lead, content=None, **options):
    options = {"model": "judge-1", **options}
    content = right_in(4) if content is None else content
    return submissions.request(release, content=content, by=lead.user, now=NOW, **options)


# --- what is taken ---------------------------------------------------------------------------------------


def test_it_waits_for_a_worker_with_its_bytes(release, lead):
    made = request(release, lead, model="  judge  1 ", family="Judges", note="Greedy.")
    assert (made.state, made.model, made.family, made.note) == ("queued", "judge 1", "Judges", "Greedy.")
    assert made.size == len(right_in(4))
    entry = JournalEntry.objects.get(action="submission.requested")
    assert entry.project == release.project
    said = sentence(entry.action, {key: str(value) for key, value in entry.data.items()})
    assert said == "Submitted the model judge 1 to the release bridges 1.0.0."


def test_the_same_bytes_for_the_same_model_are_one_submission(release, lead, stranger):
    made = request(release, lead)
    assert request(release, lead) == made
    assert request(release, lead, model="judge-2") != made
    assert request(release, lead, right_in(5)) != made
    # Somebody else's is not said to be there.
    other = submissions.request(release, content=right_in(4), model="judge-1", by=stranger, now=NOW)
    assert other != made
    assert Submission.objects.count() == 4


# --- how often -------------------------------------------------------------------------------------------


@pytest.fixture
def kept_back(project, settings):
    """A release of which the labels of half the prompts are kept back, and two submissions a day."""
    settings.SUBMISSIONS_A_DAY = 2
    return make_release(project, pairs=12, version="2.0.0", heldout="labels", heldout_percent=50)


def sent(release, by, model, *, now=NOW):
    return submissions.request(release, content=right_in(4), model=model, by=by, now=now)


def test_labels_that_are_kept_back_cannot_be_learned_by_submitting_without_end(kept_back, stranger):
    first = sent(kept_back, stranger, "one")
    sent(kept_back, stranger, "two", now=NOW + timedelta(hours=2))
    with pytest.raises(TooMany) as refused:
        sent(kept_back, stranger, "three", now=NOW + timedelta(hours=3))
    assert refused.value.wait == timedelta(hours=21)
    assert "2 times in 24 hours" in refused.value.message
    assert "2026-03-03 09:00 (UTC)" in refused.value.message
    assert sent(kept_back, stranger, "one", now=NOW + timedelta(hours=3)) == first, "it is there already"
    assert Submission.objects.count() == 2
    assert sent(kept_back, stranger, "three", now=NOW + timedelta(hours=24)).model == "three"


def test_others_and_leads_and_releases_that_keep_nothing_back_have_a_limit_of_their_own_or_none(
    kept_back, stranger, lead, annotator
):
    for model in ("one", "two"):
        sent(kept_back, stranger, model)
    for model in ("one", "two"):
        sent(kept_back, annotator.user, model)
    for model in ("one", "two", "three", "four"):
        sent(kept_back, lead.user, model)
    with pytest.raises(TooMany):
        sent(kept_back, annotator.user, "three")


def test_a_release_that_keeps_nothing_back_takes_as_many_as_come(release, stranger, settings):
    settings.SUBMISSIONS_A_DAY = 1
    for model in ("one", "two", "three"):
        sent(release, stranger, model)
    assert Submission.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_two_who_are_sent_at_once_for_the_last_place_one_is_taken(kept_back, stranger):
    sent(kept_back, stranger, "one")
    barrier, said = threading.Barrier(2), []

    def send(model):
        try:
            barrier.wait()
            said.append(sent(kept_back, stranger, model).model)
        except TooMany as refusal:
            said.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(model,)) for model in ("two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count("too_many_submissions") == 1
    assert Submission.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        (None, {"model": " "}, "model_missing", "Write the name of the model."),
        (None, {"model": "x" * 101}, "model_too_long", "at most 100 characters"),
        (None, {"model": "judge\u202e1"}, "model_unseen", "cannot be seen"),
        (None, {"family": "x" * 101}, "family_too_long", "at most 100 characters"),
        (None, {"note": "x" * 1001}, "note_too_long", "at most 1000 characters"),
        (b"", {}, "bad_predictions", "it needs at least one row"),
        (b'{"response_id": "a", "score": 1}\n{"\xff"}', {}, "file_not_utf8", "Line 2 is not UTF-8"),
        (
            b'{"response_id": "a", "score": 1}\n{"response_id": "b", "score": "x"}',
            {},
            "bad_predictions",
            "Line 2",
        ),
        (b'{"name": "a"}', {}, "bad_predictions", "write response_id and score"),
        (b"[1]", {}, "bad_predictions", "one JSON object a line"),
        (b'{"response_id": "a\\ud800", "score": 1}', {}, "bad_predictions", "Line 1"),
    ],
)
def test_what_cannot_be_used_is_refused_with_line_and_remedy(release, lead, content, options, code, said):
    with pytest.raises(Invalid) as refused:
        request(release, lead, content, **options)
    assert refused.value.code == code
    assert said in refused.value.message
    assert not Submission.objects.exists()
    assert request(release, lead).state == "queued"


def test_a_file_that_is_too_large_is_refused(release, lead, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_BYTES", len(right_in(4)) - 1)
    with pytest.raises(Invalid) as refused:
        request(release, lead)
    assert refused.value.code == "file_too_large"
    monkeypatch.setattr(submissions, "MOST_BYTES", len(right_in(4)))
    assert request(release, lead).state == "queued"


# --- the result ------------------------------------------------------------------------------------------


def test_a_worker_scores_it_as_the_command_does(release, lead):
    made = submit(release, lead.user)
    assert made.state == "done", made.error
    assert made.summary["accuracy"]["value"] == pytest.approx(4 / 6)
    assert made.summary["pairs"] == 6
    assert made.summary["problems"] == 0
    part = made.result["splits"]["test"]
    assert part["release"] == {"name": "bridges", "version": "1.0.0"}
    assert len(part["pairs"]["genres"]) == 2
    assert made.result["reasons"] == {"test": None, "heldout": "no_such_split"}
    json.dumps(made.result, allow_nan=False)


def test_missing_and_non_finite_are_wrong_and_listed(release, lead):
    values = {f"p{n:02}-{side}": 2 - "cr".index(side) for n in range(5) for side in "cr"}
    made = submit(release, lead.user, scores({**values, "p00-c": float("nan"), "who": 1}))
    assert made.summary["accuracy"]["value"] == pytest.approx(4 / 6)
    assert made.summary["unanswered"] == 2
    problems = made.result["splits"]["test"]["predictions"]["problems"]
    assert problems["counts"] | {"missing": 2, "extra": 1, "non_finite": 1} == problems["counts"]
    assert {"kind": "extra", "id": "who", "line": 11, "first": ""} in problems["listed"]


def test_a_file_for_another_release_fails_with_what_to_do_and_may_be_sent_again(release, lead):
    made = submit(release, lead.user, scores({"who": 1}))
    assert made.state == "failed"
    assert "no id of the file occurs in the release" in made.error
    again = request(release, lead, scores({"who": 1}))
    assert (again.pk, again.state) == (made.pk, "queued")


def test_a_damaged_file_of_the_release_fails_it(release, lead, settings):
    damaged = release.files.get(path="data/pairs/test.jsonl")
    [kept] = Path(settings.RELEASES_DIR).rglob(damaged.sha256)
    kept.chmod(0o600)
    with kept.open("ab") as file:
        file.write(b"\n")
    made = submit(release, lead.user)
    assert made.state == "failed"
    assert "data/pairs/test.jsonl" in made.error


@pytest.fixture
def withheld(project):
    release = make_release(project, pairs=12, version="2.0.0", heldout="labels", heldout_percent=50)
    kept = submission_work.benchmark_of(release)["heldout"]
    assert 0 < len(kept.rows) < 12
    return release


def test_what_is_held_out_is_scored_apart_and_as_a_whole(withheld, lead):
    made = submit(withheld, lead.user, right_in(12, pairs=12))
    assert made.summary["accuracy"]["value"] == 1
    assert made.summary["heldout"]["value"] == 1
    assert made.summary["problems"] == 0
    part = made.result["splits"]["heldout"]
    assert part["pairs"]["genres"] == part["pairs"]["strata"] == []
    assert made.summary["pairs"] + part["pairs"]["overall"]["pairs"] == 12


def test_who_says_nothing_of_what_is_held_out_is_not_scored_on_it(withheld, lead):
    asked = submission_work.benchmark_of(withheld)["test"]
    values = {name: name.endswith("c") + 0 for row in asked.rows for name in (row.chosen, row.rejected)}
    made = submit(withheld, lead.user, scores(values))
    assert made.summary["accuracy"]["value"] == 1
    assert made.summary["heldout"] is None
    assert made.result["reasons"]["heldout"] == "not_answered"


def test_no_list_of_problems_says_which_text_is_chosen(withheld, lead):
    kept = submission_work.benchmark_of(withheld)
    row, asked = kept["heldout"].rows[0], kept["test"].rows[0]
    rows = [
        {"pair_id": name, "scores_chosen": 1, "scores_rejected": 0}
        for name in (
            asked.id,
            f"{row.prompt_id}:{row.chosen}:{row.rejected}",
            f"{row.prompt_id}:{row.rejected}:{row.chosen}",
        )
    ]
    made = submit(withheld, lead.user, "".join(json.dumps(each) + "\n" for each in rows).encode())
    assert made.state == "done", made.error
    listed = [
        each for part in made.result["splits"].values() for each in part["predictions"]["problems"]["listed"]
    ]
    assert not [each for each in listed if each["id"].startswith(f"{row.prompt_id}:")]


# --- what never changes ----------------------------------------------------------------------------------


def refuses(statement, *values):
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def test_a_done_submission_never_changes(release, lead):
    waiting = request(release, lead, model="waiting")
    Submission.objects.filter(pk=waiting.pk).update(note="It may.")
    done = submit(release, lead.user)
    refuses("UPDATE curation_submission SET model = 'x' WHERE id = %s", done.pk)
    refuses("DELETE FROM curation_submission WHERE id = %s", done.pk)
    if connection.vendor == "postgresql":
        refuses("TRUNCATE curation_submission CASCADE")
    done.refresh_from_db()
    assert done.model == "judge-1"


def test_a_done_one_is_not_scored_again(release, lead):
    done = submit(release, lead.user)
    submission_work.execute(done.pk, clock=lambda: NOW)
    assert request(release, lead).state == "done"


def test_a_message_to_a_worker_has_it_scored_and_two_compared(release, lead):
    one, other = request(release, lead), request(release, lead, right_in(5), model="judge-2")
    for each in (one, other):
        tasks.score_submission(each.pk)
        each.refresh_from_db()
        assert each.state == "done", each.error
    made = submissions.compare(one, other, by=lead.user, now=NOW)
    tasks.compare_submissions(made.pk)
    made.refresh_from_db()
    assert made.state == "done", made.error


def test_the_sweep_nudges_what_was_lost(release, lead, monkeypatch):
    sent = []
    for other in (tasks.audit_run, tasks.compute_report):
        monkeypatch.setattr(other, "delay", lambda pk: None)
    monkeypatch.setattr(tasks.score_submission, "delay", sent.append)
    made = request(release, lead)
    tasks.sweep()
    assert sent == [made.pk]
    assert jobs.abandoned(Comparison, now=NOW) == []


# --- publishing ------------------------------------------------------------------------------------------


def test_publishing_and_taking_it_back(release, lead):
    done = submit(release, lead.user)
    for _twice in range(2):
        submissions.publish(done, by=lead.user, now=NOW)
    assert Publication.objects.get().by == lead.user
    for _twice in range(2):
        submissions.unpublish(done, by=lead.user, now=NOW)
    assert not Publication.objects.exists()
    actions = JournalEntry.objects.filter(action__startswith="submission.").order_by("pk")
    assert [entry.action.partition(".")[2] for entry in actions] == ["requested", "published", "unpublished"]


def test_what_has_no_result_is_not_published(release, lead):
    with pytest.raises(DomainError) as refused:
        submissions.publish(request(release, lead), by=lead.user, now=NOW)
    assert refused.value.code == "not_done"


# --- two of them -----------------------------------------------------------------------------------------


def test_two_are_compared_once_whichever_comes_first(release, lead):
    one, other = (submit(release, lead.user, right_in(n), model=f"judge-{n}") for n in (2, 5))
    made = submissions.compare(one, other, by=lead.user, now=NOW)
    assert submissions.compare(other, one, by=lead.user, now=NOW) == made
    submission_work.compare(made.pk, clock=lambda: NOW)
    made.refresh_from_db()
    assert made.state == "done", made.error
    assert made.first == other
    whole = made.result["pairs"]["overall"]
    assert whole["difference"]["value"] == pytest.approx(3 / 6)
    assert whole["as_if_independent"]["only_first"] == 3
    assert whole["as_if_independent"]["mcnemar"]["p"] == pytest.approx(0.25)
    refuses("DELETE FROM curation_comparison WHERE id = %s", made.pk)


def test_only_two_with_results_are_compared(release, lead):
    done, waiting = submit(release, lead.user), request(release, lead, model="waiting")
    for pair, code in (
        ((done, waiting), "not_done"),
        ((done, done), "not_two"),
        ((waiting, done), "not_done"),
    ):
        with pytest.raises(DomainError) as refused:
            submissions.compare(*pair, by=lead.user, now=NOW)
        assert refused.value.code == code
    assert not Comparison.objects.exists()
