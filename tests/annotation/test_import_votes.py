"""Importing votes on pairs: texts and votes in one go, apart from scores, append-only, undone as a whole."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, transaction

from annotation.domain.field_map import FieldMap
from annotation.models import Import, JournalEntry, Membership, Preference, Response, Round, Score
from annotation.queries import imports as queries
from annotation.queries import rounds
from annotation.services import imports, imports_run
from curation.queries.material import live_scores
from tests.factories import NOW
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

ASKED = {"role": "user", "content": "Write a story."}


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


def said(*turns: str) -> list[dict[str, str]]:
    more = {"role": "user", "content": "Go on."}
    return [one for turn in turns for one in (more, {"role": "assistant", "content": turn})][1:]


def vote(**more: object) -> dict[str, object]:
    return {
        "question_id": 81,
        "model_a": "vicuna",
        "model_b": "alpaca",
        "winner": "model_a",
        "judge": "author_1",
        "conversation_a": [ASKED, *said("Once upon a time there was a fox.")],
        "conversation_b": [ASKED, *said("It was a dark and stormy night.")],
        "turn": 1,
        **more,
    }


def pandalm(**more: object) -> dict[str, object]:
    return {
        "idx": 1,
        "cmp_key": "bloom_llama",
        "instruction": "Rewrite it.",
        "input": "",
        "response1": "The first way to say it.",
        "response2": "The second way to say it.",
        "annotator1": 2,
        "annotator2": 0,
        "annotator3": 1,
        **more,
    }


def uploaded(project, *rows: dict[str, object]) -> Import:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return imports.upload(project, [("votes.jsonl", [content])], by=None, now=NOW)


def job_of(found: Import, action: str = "store"):
    job = imports.request(found, action, by=None, now=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    found.refresh_from_db()
    return job


def taken(project, *rows: dict[str, object]) -> dict:
    job = job_of(uploaded(project, *rows))
    assert job.state == "done", (job.error, job.report["problems"])
    return job.report


def checked(project, *rows: dict[str, object]) -> dict:
    return job_of(uploaded(project, *rows), "check").report


def reasons(report: dict) -> list[str]:
    return [queries.said(problem["reason"]) for problem in report["problems"]]


def votes() -> list[tuple[str, str, str, int]]:
    rows = Preference.objects.order_by("pk")
    return [
        (one.response_a.external_id, one.response_b.external_id, one.preferred, one.revision) for one in rows
    ]


# --- what is stored ----------------------------------------------------------------------------------------


def test_a_file_of_votes_brings_texts_and_votes_in_one_go(project):
    report = taken(project, vote(), vote(judge="author_2", winner="tie"))
    assert (report["responses"], report["preferences"], report["annotators"]) == (2, 2, 2)
    assert votes() == [("81|vicuna", "81|alpaca", "a", 1), ("81|vicuna", "81|alpaca", "tie", 1)]
    one = Preference.objects.first()
    assert (one.prompt.external_id, one.at, one.recorded_at) == ("81", None, NOW)
    assert one.source_place == "votes.jsonl, line 1"


def test_votes_stand_in_a_locked_round_of_pairs_and_are_no_scores(project):
    taken(project, vote())
    work = project.rounds.get(kind="pairs")
    assert (work.name, work.purpose, work.state) == ("Imported preferences", "live", "locked")
    assert not Score.objects.exists()
    assert live_scores(project) == []
    assert set(project.rounds.exclude(pk=work.pk).values_list("kind", flat=True)) <= {"scores"}


def test_of_a_judge_nothing_is_kept_but_a_keyed_pseudonym(project):
    taken(project, vote(judge="Ada Lovelace"))
    member = Preference.objects.get().annotator
    assert (member.role, member.external_id[0]) == ("annotator", "#")
    assert not Membership.objects.filter(external_id__contains="Lovelace").exists()
    kept = list(Import.objects.values_list("field_map", flat=True)), list(JournalEntry.objects.values("data"))
    assert "Lovelace" not in json.dumps(kept)


@pytest.mark.parametrize(
    "judge",
    [["gpt-4", "pair-v2"], "gpt4_pair", "gpt-4", "GPT-3.5-turbo", "claude-instant-v1", "llama-2_single"],
)
def test_votes_of_models_are_skipped_and_counted(project, judge):
    report = taken(project, vote(judge=judge), vote())
    assert (report["responses"], report["preferences"]) == (2, 1)
    (skipped,) = report["skipped"]
    assert skipped["rows"] == 1
    assert "a model gave this vote" in queries.said(skipped["reason"])


def test_people_may_be_called_like_a_model(project):
    assert taken(project, vote(judge="Claude"), vote(judge="expert_3"))["preferences"] == 2


def test_a_vote_on_the_first_turn_and_one_on_the_second_are_about_different_texts(project):
    both = {
        "conversation_a": [ASKED, *said("A fox ran.", "It fell asleep.")],
        "conversation_b": [ASKED, *said("A dog ran.", "It woke up.")],
    }
    report = taken(project, vote(**both), vote(**both, turn=2, winner="model_b"))
    assert (report["responses"], report["preferences"]) == (4, 2)
    assert sorted(votes()) == [
        ("81|vicuna", "81|alpaca", "b", 1),
        ("81|vicuna|turn 1", "81|alpaca|turn 1", "a", 1),
    ]
    texts = dict(Response.objects.values_list("external_id", "text"))
    assert texts["81|vicuna|turn 1"] == "A fox ran."
    assert texts["81|vicuna"] == "A fox ran.\n\nIt fell asleep."


@pytest.mark.parametrize("winner", ["tie", "tie (bothbad)", "tie (inconsistent)"])
def test_every_kind_of_tie_is_one(project, winner):
    taken(project, vote(winner=winner))
    assert votes()[0][2] == "tie"


@pytest.mark.parametrize("winner", ["error", "", None, "vicuna", True])
def test_what_names_no_winner_is_refused_with_its_row(project, winner):
    report = checked(project, vote(), vote(judge="author_2", winner=winner))
    assert (report["refused"], report["preferences"]) == (1, 1)
    assert (report["problems"][0]["line"], report["problems"][0]["column"]) == (2, "winner")
    assert "does not say which response is better" in reasons(report)[0]


def test_annotators_of_pandalm_vote_0_1_and_2(project):
    report = taken(project, pandalm())
    assert (report["responses"], report["preferences"], report["annotators"]) == (2, 3, 3)
    assert [preferred for _a, _b, preferred, _revision in votes()] == ["b", "tie", "a"]


@pytest.mark.parametrize("value", [True, 3, "first"])
def test_other_votes_of_pandalm_are_refused_with_their_column(project, value):
    report = checked(project, pandalm(annotator2=value))
    assert [(one["line"], one["column"]) for one in report["problems"]] == [(1, "annotator2")]


def test_a_missing_vote_of_pandalm_is_none(project):
    assert taken(project, pandalm(annotator2=None, annotator3=""))["preferences"] == 1


def test_a_vote_on_a_text_that_is_refused_is_refused_too(project):
    report = checked(project, vote(conversation_b=[ASKED, *said("")]))
    assert (report["refused"], report["preferences"]) == (2, 0)
    assert reasons(report)[1] == "its text cannot be taken, so the vote on it is left out with it"


def test_a_vote_is_never_tied_to_another_text_of_the_same_id(project):
    other = vote(judge="author_2", conversation_b=[ASKED, *said("Another tale of hers altogether.")])
    report = checked(project, vote(), other, vote(judge="author_3"))
    assert (report["refused"], report["preferences"]) == (2, 2)
    assert "the vote is about the one here" in reasons(report)[1]


def test_votes_on_texts_that_are_stored_already_find_them(project):
    taken(project, vote(winner="tie"))
    found = uploaded(project, vote(judge="author_2"))
    plan = FieldMap.from_dict(found.field_map)
    fields = {name: source for name, source in plan.fields.items() if name != "text"}
    changed = replace(plan, fields=fields)
    imports.revise(found, field_map=changed, keep_names=False, leave_out_bad_rows=False, now=NOW)
    assert job_of(found).report["preferences"] == 1


def test_a_response_is_not_compared_with_itself(project):
    same = vote()["conversation_a"]
    report = checked(project, vote(model_b="vicuna", conversation_b=same))
    assert "only two responses can be compared" in reasons(report)[0]


def test_a_lead_may_leave_the_votes_out(project):
    found = uploaded(project, vote())
    plan = FieldMap.from_dict({**found.field_map, "votes": False})
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=False, now=NOW)
    report = job_of(found).report
    assert (report["responses"], report["preferences"]) == (2, 0)
    assert not Round.objects.filter(kind="pairs").exists()


# --- again, otherwise, and back ----------------------------------------------------------------------------


def test_a_second_import_of_the_same_votes_brings_nothing(project):
    taken(project, vote(), other := vote(judge="author_2", winner="model_b"))
    report = checked(project, vote(), other)
    assert (report["preferences"], report["responses"], report["refused"]) == (0, 0, 0)
    assert job_of(uploaded(project, vote())).state == "failed"
    assert Preference.objects.count() == 2


def test_the_same_vote_with_the_sides_exchanged_says_nothing_new(project):
    taken(project, vote())
    exchanged = vote(
        model_a="alpaca",
        model_b="vicuna",
        conversation_a=vote()["conversation_b"],
        conversation_b=vote()["conversation_a"],
        winner="model_b",
    )
    report = checked(project, exchanged)
    assert (report["preferences"], report["refused"]) == (0, 0)
    assert "author" not in json.dumps(report)
    report = checked(project, {**exchanged, "winner": "model_a"})
    assert (report["preferences"], report["refused"]) == (0, 1)


def test_another_vote_without_a_time_is_a_conflict_as_stored_and_within_a_file(project):
    report = checked(project, vote(), vote(winner="model_b"))
    assert (report["refused"], report["preferences"]) == (2, 0)
    assert "votes otherwise on '81|alpaca' and '81|vicuna' on line 1" in reasons(report)[0]
    taken(project, vote())
    report = checked(project, vote(winner="model_b"))
    assert "votes otherwise on '81|alpaca' and '81|vicuna' as stored" in reasons(report)[0]
    assert Preference.objects.count() == 1


def test_a_later_vote_is_a_revision(project):
    taken(project, vote(tstamp=1_767_225_600))
    report = taken(project, vote(winner="model_b", tstamp=1_767_229_200))
    assert report["preferences"] == 1
    assert [(preferred, revision) for _a, _b, preferred, revision in votes()] == [("a", 1), ("b", 2)]
    report = checked(project, vote(winner="tie", tstamp=1_767_225_601))
    assert "has a later vote on" in reasons(report)[0]


def test_votes_are_undone_with_all_that_came_with_them(project):
    found = uploaded(project, vote())
    job_of(found)
    assert queries.brought(found).votes == 1
    assert job_of(found, "undo").state == "done"
    assert not Preference.objects.exists()
    assert not Response.objects.filter(external_id__startswith="81").exists()
    assert not Membership.objects.filter(external_id__startswith="#").exists()
    entry = JournalEntry.objects.get(action="import.undone")
    assert entry.data["preferences"] == 1


def test_what_later_votes_depend_on_is_not_undone(project):
    first = uploaded(project, vote())
    job_of(first)
    second = uploaded(project, vote(judge="author_2"))
    job_of(second)
    assert "votes from elsewhere" in imports.what_depends_on(first)
    assert imports.what_depends_on(second) == ""
    job_of(second, "undo")
    assert imports.what_depends_on(first) == ""


def test_a_revised_vote_is_not_undone(project):
    first = uploaded(project, vote(tstamp=1_767_225_600))
    job_of(first)
    changed = uploaded(project, vote(winner="tie", tstamp=1_767_229_200))
    job_of(changed)
    third = uploaded(project, vote(winner="model_b", tstamp=1_767_232_800))
    job_of(third)
    assert "changes votes" in imports.what_depends_on(changed)
    assert imports.what_depends_on(third) == ""


# --- what the lead sees ------------------------------------------------------------------------------------


def test_the_lead_sees_how_many_votes_there_are(project, lead, browser_of):
    found = uploaded(project, vote(), vote(judge="author_2"))
    job_of(found)
    line = rounds.line_of(project.rounds.get(kind="pairs"))
    assert (line.votes, line.prompts, line.responses, line.name) == (2, 1, 2, "Imported preferences")
    browser = browser_of(lead)
    for page in ("rounds/", "imports/", f"imports/{found.pk}/", f"rounds/{line.pk}/"):
        content = browser.get(f"/projects/{project.slug}/{page}").content.decode()
        assert "2 votes" in content or "otes on pairs" in content, page


def test_the_journal_counts_the_votes(project):
    taken(project, vote())
    assert JournalEntry.objects.get(action="import.stored").data["preferences"] == 1


# --- what the database guards ------------------------------------------------------------------------------


@pytest.fixture
def stored(project) -> Preference:
    taken(project, vote())
    return Preference.objects.get()


def copied(stored: Preference, **changes: object) -> Preference:
    made = deepcopy(stored)
    made.pk = None
    made._state.adding = True
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_a_pair_has_one_vote_a_revision_in_whichever_order_it_was_shown(stored):
    exchanged = {"response_a": stored.response_b, "response_b": stored.response_a}
    for changes in ({}, exchanged, {"response_b": stored.response_a}, {"preferred": "c", "revision": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            copied(stored, **changes).save()
    copied(stored, revision=2, **exchanged).save()


def test_a_vote_is_never_changed_nor_removed(stored):
    with pytest.raises(DatabaseError), transaction.atomic():
        Preference.objects.update(preferred="b")
    with pytest.raises(DatabaseError), transaction.atomic():
        Preference.objects.all().delete()
    Import.objects.filter(pk=stored.source_id).update(state="undoing")
    assert Preference.objects.all().delete()[0] == 1


def test_a_round_is_of_scores_or_of_pairs(stored):
    with pytest.raises(IntegrityError), transaction.atomic():
        Round.objects.update(kind="votes")


# --- pages, command and REST -------------------------------------------------------------------------------


def test_the_page_of_a_draft_shows_the_votes_and_a_form_sent_as_it_is_keeps_them(project, lead, browser_of):
    found = uploaded(project, vote(judge="Ada Lovelace"))
    browser = browser_of(lead)
    page = browser.get(f"/projects/{project.slug}/imports/{found.pk}/").content.decode()
    assert 'name="votes" checked' in page
    assert "81|vicuna · 81|alpaca" in page
    sent = sent_by(page, "mapping")
    browser.post(f"/projects/{project.slug}/imports/{found.pk}/", {**sent, "then": "look"})
    found.refresh_from_db()
    assert found.field_map["votes"]
    browser.post(
        f"/projects/{project.slug}/imports/{found.pk}/",
        {name: value for name, value in sent.items() if name != "votes"} | {"then": "look"},
    )
    found.refresh_from_db()
    assert not found.field_map["votes"]


def test_the_command_imports_and_counts_votes(project, tmp_path, capsys):
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps(vote()) + "\n", encoding="utf-8")
    call_command("import_file", project.slug, str(path))
    out = capsys.readouterr().out
    assert "votes on pairs" in out
    assert "1 new vote" in out
    assert Preference.objects.count() == 1


def test_annotators_never_reach_votes(project, annotator, browser_of):
    taken(project, vote())
    work = project.rounds.get(kind="pairs")
    for page in ("rounds/", f"rounds/{work.pk}/", "imports/"):
        assert browser_of(annotator).get(f"/projects/{project.slug}/{page}").status_code in (302, 403, 404)
