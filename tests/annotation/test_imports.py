"""Files of any layout on their way into a project: uploaded, recognised, checked, stored in chunks, undone."""

import json
from pathlib import Path

import pytest

from annotation.domain.field_map import FieldMap, Source
from annotation.domain.records import InputError
from annotation.errors import DomainError, Invalid
from annotation.models import (
    Assignment,
    Flag,
    Genre,
    Import,
    ImportJob,
    JournalEntry,
    Membership,
    Prompt,
    Requirement,
    Response,
    Score,
    User,
)
from annotation.services import imports, imports_run, jobs, seals
from tests.factories import NOW, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
TABLES = (Genre, Prompt, Requirement, Response, Score, Assignment, Membership, User, Flag)
TEXTS = (
    '{"prompt_id": "p1", "prompt": "Write about a bridge.", "language": "en", "model": "m-1", "response": "The river '
    'forgot its bridge, and the town forgot the river a year later."}\n'
    '{"prompt_id": "p1", "prompt": "Write about a bridge.", "language": "en", "model": "m-2", "response": "Bridges are '
    'built by engineers, and people walk over them every day."}\n'
)
SCORES = (
    "prompt_id,model,annotator,score\n"
    "p1,m-1,ann@example.org,3\np1,m-1,bea@example.org,2\np1,m-2,ann@example.org,1\n"
)


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


def uploaded(project, *files: tuple[str, str | bytes]) -> Import:
    parts = [(name, [text.encode() if isinstance(text, str) else text]) for name, text in files]
    return imports.upload(project, parts, by=None, now=NOW)


def done(found: Import, action: str) -> ImportJob:
    job = imports.request(found, action, by=None, now=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    found.refresh_from_db()
    return job


def stored(project, *files) -> Import:
    found = uploaded(project, *files)
    job = done(found, "store")
    assert job.state == "done", job.error
    return found


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def kept(settings) -> list[Path]:
    return list(settings.IMPORTS_DIR.iterdir()) if settings.IMPORTS_DIR.exists() else []


# --- From upload to store ----------------------------------------------------------------------------


def test_an_upload_recognises_its_files_and_stores_nothing_of_them(project):
    before = counts()
    found = uploaded(project, ("texts.jsonl", TEXTS))
    assert (found.state, found.files[0]["name"], found.shape["format"]) == ("draft", "texts.jsonl", "jsonl")
    plan = FieldMap.from_dict(found.field_map)
    assert plan.fields["text"] == Source(columns=("response",))
    assert counts() == before


def test_a_check_says_what_an_import_would_do_and_changes_nothing(project):
    before = counts()
    job = done(uploaded(project, ("texts.jsonl", TEXTS)), "check")
    assert (job.report["rows"], job.report["prompts"], job.report["responses"]) == (2, 1, 2)
    assert (job.report["refused"], job.rows_read) == (0, 2)
    assert counts() == before


def test_what_is_stored_counts_and_knows_where_it_comes_from(project, settings):
    found = stored(project, ("texts.jsonl", TEXTS))
    responses = project.responses.order_by("external_id")
    assert [(one.external_id, one.state, one.source_place) for one in responses] == [
        ("p1|m-1", "active", "texts.jsonl, line 1"),
        ("p1|m-2", "active", "texts.jsonl, line 2"),
    ]
    assert (found.state, found.stored_at) == ("stored", NOW)
    assert kept(settings) == []


def test_scores_meet_their_texts_and_names_become_pseudonyms(project):
    stored(project, ("texts.jsonl", TEXTS))
    stored(project, ("scores.csv", SCORES))
    assert sorted(Score.objects.values_list("response__external_id", "value")) == [
        ("p1|m-1", 2),
        ("p1|m-1", 3),
        ("p1|m-2", 1),
    ]
    names = Membership.objects.values_list("external_id", "pseudonym", "user__username")
    assert not any("example.org" in part for row in names for part in row)
    assert not any("example.org" in json.dumps(entry.data) for entry in JournalEntry.objects.all())


def test_a_second_file_finds_an_annotator_again_without_knowing_the_name(project):
    stored(project, ("texts.jsonl", TEXTS), ("more.jsonl", TEXTS.replace("p1", "p2")))
    stored(project, ("scores.csv", SCORES))
    stored(project, ("more.csv", SCORES.replace("p1", "p2")))
    assert Membership.objects.filter(role="annotator").count() == 2
    assert Score.objects.count() == 6


def test_names_are_kept_where_the_lead_says_so(project):
    stored(project, ("texts.jsonl", TEXTS))
    found = uploaded(project, ("scores.csv", SCORES))
    plan = FieldMap.from_dict(found.field_map)
    imports.revise(found, field_map=plan, keep_names=True, leave_out_bad_rows=False, now=NOW)
    done(found, "store")
    assert Membership.objects.filter(external_id="ann@example.org").exists()


def test_several_files_are_one_import_and_their_names_tell_the_model(project):
    row = '[{"original_item_index": 0, "question_id": "q1", "score": 2, "comment": ""}]'
    for model in ("m-1", "m-2"):
        make_response(
            project.prompts.filter(external_id="q1").first() or make_prompt(project, "q1"), f"q1|{model}"
        )
    found = uploaded(project, ("m-1.json", row), ("m-2.json", row.replace("2", "3", 1)))
    plan = FieldMap.from_dict(found.field_map)
    fields = {**plan.fields, "annotator": Source(constant="first pass")}
    imports.revise(
        found,
        field_map=FieldMap(fields=fields, unknown_genres="refuse"),
        keep_names=False,
        leave_out_bad_rows=False,
        now=NOW,
    )
    job = done(found, "store")
    assert job.state == "done", job.error
    assert sorted(Score.objects.values_list("response__external_id", "value")) == [
        ("q1|m-1", 2),
        ("q1|m-2", 3),
    ]


def test_the_same_files_again_bring_nothing_and_say_so(project):
    stored(project, ("texts.jsonl", TEXTS))
    before = counts()
    again = uploaded(project, ("texts.jsonl", TEXTS))
    assert done(again, "check").report["unchanged"] == 2
    job = done(again, "store")
    assert (job.state, again.state) == ("failed", "draft")
    assert "stored already" in job.error
    assert counts() == before


def test_a_text_that_gives_its_source_away_is_flagged_and_stays(project):
    told = TEXTS.replace("The river forgot", "As an AI language model, I think the river forgot")
    found = uploaded(project, ("texts.jsonl", told))
    assert done(found, "check").report["flags"] == {"tell_tale.self_reference": 1}
    done(found, "store")
    flag = Flag.objects.get()
    assert (flag.check_key, flag.state, flag.response.state) == ("tell_tale.self_reference", "open", "active")
    assert flag.detail["template"]


def test_the_later_of_two_equal_responses_is_flagged(project):
    same = TEXTS.replace("Bridges are built by engineers, and people walk over them every day.", "X").replace(
        "The river forgot its bridge, and the town forgot the river a year later.", "X"
    )
    stored(project, ("texts.jsonl", same.replace('"X"', '"Nobody crossed the bridge twice that winter."')))
    flag = Flag.objects.get(check_key="exact_duplicate")
    assert flag.response.external_id == "p1|m-2"
    assert flag.detail["values"] == {"id": "p1|m-1"}


def test_a_genre_that_the_project_lacks_is_refused_left_or_added(project):
    rows = TEXTS.replace('"language": "en"', '"language": "en", "genre": "Haibun"')
    found = uploaded(project, ("texts.jsonl", rows))
    job = done(found, "check")
    assert (job.report["refused"], job.report["unknown_genres"]) == (2, ["Haibun"])
    plan = FieldMap.from_dict({**found.field_map, "unknown_genres": "add"})
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=False, now=NOW)
    done(found, "store")
    assert project.prompts.get().genre.name_en == "Haibun"


# --- Refusals ----------------------------------------------------------------------------------------


def bad_scores() -> str:
    return SCORES + "p1,m-2,bea@example.org,7\n"


def test_one_bad_row_keeps_all_from_being_stored(project):
    stored(project, ("texts.jsonl", TEXTS))
    before = counts()
    found = uploaded(project, ("scores.csv", bad_scores()))
    report = done(found, "check").report
    (problem,) = report["problems"]
    assert (problem["file"], problem["unit"], problem["line"], problem["column"]) == (
        "scores.csv",
        "line",
        5,
        "score",
    )
    job = done(found, "store")
    assert (job.state, found.state) == ("failed", "draft")
    assert counts() == before


def test_bad_rows_can_be_left_out_when_the_lead_says_so(project):
    stored(project, ("texts.jsonl", TEXTS))
    found = uploaded(project, ("scores.csv", bad_scores()))
    plan = FieldMap.from_dict(found.field_map)
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=True, now=NOW)
    job = done(found, "store")
    assert (job.report["scores"], job.report["refused"], Score.objects.count()) == (3, 1, 3)


def test_scores_of_texts_that_are_not_there_are_refused_with_their_rows(project):
    report = done(uploaded(project, ("scores.csv", SCORES)), "check").report
    assert report["refused"] == 3
    assert "no response" in report["problems"][0]["reason"]["template"]


def test_a_changed_row_is_a_conflict_and_never_overwrites(project):
    stored(project, ("texts.jsonl", TEXTS))
    job = done(uploaded(project, ("texts.jsonl", TEXTS.replace("a year later", "two years later"))), "check")
    assert (job.report["refused"], job.report["unchanged"]) == (1, 1)
    assert "never overwritten" in job.report["problems"][0]["reason"]["template"]


def test_what_cannot_be_read_leaves_no_file_behind(project, settings):
    with pytest.raises(InputError):
        uploaded(project, ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100)))
    assert kept(settings) == []
    assert Import.objects.count() == 0


def test_a_file_beyond_the_limit_is_refused_while_it_arrives(project, settings, monkeypatch):
    monkeypatch.setattr(imports, "MAX_BYTES", 10)
    with pytest.raises(Invalid) as caught:
        uploaded(project, ("texts.jsonl", TEXTS))
    assert caught.value.code == "too_large"
    assert kept(settings) == []


def test_nothing_is_done_where_no_column_is_a_text_or_a_score(project):
    found = uploaded(project, ("texts.jsonl", TEXTS))
    imports.revise(found, field_map=FieldMap(), keep_names=False, leave_out_bad_rows=False, now=NOW)
    with pytest.raises(Invalid) as caught:
        imports.request(found, "store", by=None, now=NOW)
    assert caught.value.code == "nothing_mapped"


def test_one_import_of_a_project_is_worked_on_at_a_time(project):
    first, second = (uploaded(project, (f"{n}.jsonl", TEXTS.replace("p1", f"p{n}"))) for n in (1, 2))
    imports.request(first, "check", by=None, now=NOW)
    with pytest.raises(DomainError) as caught:
        imports.request(second, "check", by=None, now=NOW)
    assert caught.value.code == "import_at_work"


# --- An attempt that dies ----------------------------------------------------------------------------


def test_what_a_killed_attempt_had_stored_counts_nowhere_and_the_next_begins_anew(project, monkeypatch):
    found = uploaded(project, ("texts.jsonl", TEXTS))
    job = imports.request(found, "store", by=None, now=NOW)
    jobs.claim(ImportJob, job.pk, now=NOW)
    Import.objects.filter(pk=found.pk).update(state="storing")
    intake_of = imports_run._examined(ImportJob.objects.get(pk=job.pk), lambda: NOW, triaged=0)
    intake_of.store()
    assert set(project.responses.values_list("state", flat=True)) == {"incoming"}
    assert make_round(project).assignments.count() == 0

    ImportJob.objects.filter(pk=job.pk).update(lease_until=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 2)
    assert sorted(project.responses.values_list("external_id", "state")) == [
        ("p1|m-1", "active"),
        ("p1|m-2", "active"),
    ]


def test_an_import_whose_job_was_given_up_is_a_draft_again_without_rows(project):
    before = counts()
    found = uploaded(project, ("texts.jsonl", TEXTS))
    job = imports.request(found, "store", by=None, now=NOW)
    jobs.claim(ImportJob, job.pk, now=NOW)
    Import.objects.filter(pk=found.pk).update(state="storing")
    imports_run._examined(ImportJob.objects.get(pk=job.pk), lambda: NOW, triaged=0).store()
    ImportJob.objects.filter(pk=job.pk).update(attempt=jobs.ATTEMPTS, lease_until=NOW)
    jobs.give_up(ImportJob, now=NOW)
    imports_run.clear_up()
    found.refresh_from_db()
    assert found.state == "draft"
    assert counts() == before


# --- Undo --------------------------------------------------------------------------------------------


def test_an_import_is_undone_as_a_whole(project):
    before = counts()
    texts = stored(project, ("texts.jsonl", TEXTS))
    between = counts()
    scores = stored(project, ("scores.csv", SCORES))
    assert done(scores, "undo").state == "done"
    assert (counts(), scores.state) == (between, "undone")
    assert done(texts, "undo").state == "done"
    assert counts() == before
    assert JournalEntry.objects.filter(action="import.undone").count() == 2


def test_what_was_undone_can_be_imported_again(project):
    stored(project, ("texts.jsonl", TEXTS))
    done(stored(project, ("scores.csv", SCORES)), "undo")
    stored(project, ("scores.csv", SCORES))
    assert Score.objects.count() == 3


@pytest.mark.parametrize("use", ["scores", "round", "snapshot", "responses"])
def test_an_import_on_which_something_depends_is_not_undone(project, use):
    texts = stored(project, ("texts.jsonl", TEXTS))
    if use == "scores":
        stored(project, ("scores.csv", SCORES))
    elif use == "round":
        make_round(project)
    elif use == "snapshot":
        seals.note_snapshot(project, now=NOW)
        texts.refresh_from_db()
    else:
        stored(project, ("more.jsonl", TEXTS.replace("m-", "n-")))
    texts.project.refresh_from_db()
    before = counts()
    with pytest.raises(DomainError) as caught:
        imports.request(texts, "undo", by=None, now=NOW)
    assert caught.value.code == "in_use"
    assert counts() == before


# --- Saved mappings ----------------------------------------------------------------------------------


def test_a_saved_field_map_is_taken_for_the_next_file_of_its_layout(project):
    found = uploaded(project, ("texts.jsonl", TEXTS))
    fields = {**FieldMap.from_dict(found.field_map).fields, "language": Source(constant="fr")}
    imports.revise(
        found, field_map=FieldMap(fields=fields), keep_names=False, leave_out_bad_rows=False, now=NOW
    )
    found.refresh_from_db()
    saved = imports.keep_field_map(found, name="Ours", by=None, now=NOW)
    again = uploaded(project, ("more.jsonl", TEXTS.replace("p1", "p2")))
    assert FieldMap.from_dict(again.field_map).fields["language"] == Source(constant="fr")
    imports.forget_field_map(saved, by=None, now=NOW)
    third = uploaded(project, ("more.jsonl", TEXTS.replace("p1", "p3")))
    assert FieldMap.from_dict(third.field_map).fields.get("language") != Source(constant="fr")


def test_a_file_that_cannot_be_read_to_its_end_is_never_imported_in_part(project):
    """Rows after the bad one are unknown, so leaving out the bad one would lose them without a word."""
    stored(project, ("texts.jsonl", TEXTS))
    many = "".join(f"p1,m-1,annotator {number},2\n" for number in range(60))
    ragged = SCORES + many + "p1,m-2,bea@example.org,2,too,many\n" + "p1,m-2,cid@example.org,2\n"
    found = uploaded(project, ("scores.csv", ragged))
    report = done(found, "check").report
    assert (report["unread"], report["refused"]) == (1, 1)
    plan = FieldMap.from_dict(found.field_map)
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=True, now=NOW)
    job = done(found, "store")
    assert (job.state, Score.objects.count()) == ("failed", 0)
    assert "to its end" in job.error


def test_a_name_of_a_mapping_stays_with_its_layout(project):
    found = uploaded(project, ("texts.jsonl", TEXTS))
    imports.keep_field_map(found, name="Ours", by=None, now=NOW)
    imports.keep_field_map(found, name="Ours", by=None, now=NOW)
    Import.objects.filter(pk=found.pk).update(layout="potato")
    found.refresh_from_db()
    with pytest.raises(Invalid) as caught:
        imports.keep_field_map(found, name="Ours", by=None, now=NOW)
    assert caught.value.code == "name_taken"


# --- Rows and judgements that hang together ----------------------------------------------------------


def both(*rows: tuple[str, str, object]) -> str:
    """Rows that bring a text and a score of it: (response id, annotator, score)."""
    return "".join(
        json.dumps(
            {
                "id": name,
                "prompt_id": "p1",
                "text": f"A story about {name}.",
                "annotator": who,
                "score": score,
            }
        )
        + "\n"
        for name, who, score in rows
    )


def test_a_row_is_taken_whole_or_not_at_all(project):
    found = uploaded(project, ("both.jsonl", both(("r1", "ann", 2), ("r2", "ann", 9), ("r2", "ben", 1))))
    report = done(found, "check").report
    assert (report["responses"], report["scores"], report["refused"]) == (2, 2, 1)
    imports.revise(
        found,
        field_map=FieldMap.from_dict(found.field_map),
        keep_names=False,
        leave_out_bad_rows=True,
        now=NOW,
    )
    job = done(found, "store")
    assert job.state == "done", job.error
    assert (project.responses.count(), Score.objects.count()) == (2, 2)


def test_where_one_act_of_a_judgement_cannot_be_placed_all_its_rows_are_refused(project):
    stored(project, ("texts.jsonl", TEXTS))
    rows = "".join(
        f"p1,m-1,ann,{score},{at}\n" for score, at in ((1, ""), (2, "2026-01-01"), (3, "2026-01-02"))
    )
    found = uploaded(
        project, ("s.csv", "prompt_id,model,annotator,score,at\n" + rows + "p1,m-2,ann,0,2026-01-01\n")
    )
    report = done(found, "check").report
    assert (report["rows"], report["refused"], report["scores"]) == (4, 3, 1)


def test_rows_that_are_left_out_are_counted_with_the_reason(project):
    stored(project, ("texts.jsonl", TEXTS))
    found = uploaded(project, ("s.csv", SCORES))
    plan = FieldMap.from_dict({**found.field_map, "only": ["model", "m-1"]})
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=False, now=NOW)
    report = done(found, "check").report
    assert (report["rows"], report["scores"]) == (3, 2)
    assert [(one["rows"], one["reason"]["template"]) for one in report["skipped"]] == [
        (1, "the choice of rows leaves it out")
    ]


@pytest.mark.parametrize("kept", [True, False])
def test_an_annotator_in_another_case_is_nobody_new(project, kept):
    stored(project, ("texts.jsonl", TEXTS))
    for name, words in (("a.csv", SCORES), ("b.csv", SCORES.replace("ann@", "Ann@"))):
        found = uploaded(project, (name, words))
        plan = FieldMap.from_dict(found.field_map)
        imports.revise(found, field_map=plan, keep_names=kept, leave_out_bad_rows=False, now=NOW)
        job = done(found, "store")
    assert Membership.objects.filter(role="annotator").count() == 2
    assert job.state == "failed"  # refused where the name is known, nothing new where it is not


def test_a_prompt_in_another_case_than_a_stored_one_is_refused(project):
    stored(project, ("texts.jsonl", TEXTS))
    report = done(
        uploaded(project, ("more.jsonl", TEXTS.replace("p1", "P1").replace("m-", "n-"))), "check"
    ).report
    assert report["refused"] == 2
    assert "case" in report["problems"][0]["reason"]["template"]


def test_a_repeated_response_with_another_prompt_is_refused(project):
    again = TEXTS.splitlines()[0].replace("Write about a bridge.", "Write about a tunnel.")
    report = done(uploaded(project, ("texts.jsonl", TEXTS + again + "\n")), "check").report
    assert (report["refused"], report["problems"][0]["column"]) == (1, "prompt")


def test_genres_whose_names_make_the_same_key_get_keys_of_their_own(project):
    rows = "".join(
        json.dumps({"id": f"g{n}", "prompt_id": f"g{n}", "text": f"Text {n}.", "genre": genre}) + "\n"
        for n, genre in enumerate(("fiction-4", "Fiction!", "抽象文学-亚文化"))
    )
    found = uploaded(project, ("g.jsonl", rows))
    plan = FieldMap.from_dict({**found.field_map, "unknown_genres": "add"})
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=False, now=NOW)
    job = done(found, "store")
    assert job.state == "done", job.error
    assert project.genres.filter(key="抽象文学-亚文化").exists()


def test_scores_without_an_id_find_their_text_by_prompt_and_model(project):
    prompt = make_prompt(project, "p-1", text="Bajo el cielo de cobre")
    make_response(prompt, "cielo_gpt4", source_model="gpt4")
    stored(project, ("s.csv", "title_id,model,annotator,score\nBajo el cielo de cobre,gpt4,ann,2\n"))
    assert Score.objects.get().response.external_id == "cielo_gpt4"


# --- Attempts and undoing, at the same time as others ------------------------------------------------


def test_an_attempt_that_lost_its_lease_touches_nothing_of_the_next_one(project, monkeypatch):
    found = uploaded(project, ("texts.jsonl", TEXTS))
    job = imports.request(found, "store", by=None, now=NOW)

    def taken_over(self):
        """Another worker takes the job over and carries it out, before this one fails."""
        monkeypatch.undo()
        ImportJob.objects.filter(pk=job.pk).update(lease_until=NOW)
        imports_run.execute(job.pk, clock=lambda: NOW)
        raise RuntimeError("late")

    monkeypatch.setattr(imports_run.Intake, "store", taken_over)
    with pytest.raises(jobs.LostLease):
        imports_run.execute(job.pk, clock=lambda: NOW)
    found.refresh_from_db()
    assert (found.state, project.responses.filter(state="active").count()) == ("stored", 2)


def test_what_is_being_undone_is_not_there_for_anybody(project, monkeypatch):
    found = stored(project, ("texts.jsonl", TEXTS))
    seen = []

    def look(subject):
        seen.append(
            (make_round(project).assignments.count(), project.responses.filter(state="active").count())
        )
        return {}

    monkeypatch.setattr(imports_run, "take_back", look)
    done(found, "undo")
    assert seen == [(0, 0)]


def test_an_import_that_a_later_one_revised_is_not_undone_whatever_their_order_of_upload(project):
    stored(project, ("texts.jsonl", TEXTS))
    head = "prompt_id,model,annotator,score,at\n"
    later = uploaded(project, ("later.csv", head + "p1,m-1,ann,3,2026-02-01\n"))
    first = stored(project, ("first.csv", head + "p1,m-1,ann,1,2026-01-01\n"))
    assert done(later, "store").state == "done"
    with pytest.raises(DomainError) as caught:
        imports.request(first, "undo", by=None, now=NOW)
    assert caught.value.code == "in_use"
    assert done(later, "undo").state == "done"
    assert done(first, "undo").state == "done"


def test_flags_that_name_a_response_go_when_it_is_taken_back(project):
    first = stored(project, ("texts.jsonl", TEXTS))
    same = TEXTS.replace('"model": "m-', '"model": "n-')
    second = stored(project, ("again.jsonl", same))
    assert set(Flag.objects.values_list("response__source", flat=True)) == {second.pk}
    Import.objects.filter(pk=first.pk).update(state="undoing")
    imports_run._withdraw_flags(first, ["p1|m-1", "p1|m-2"])
    assert not Flag.objects.filter(check_key="exact_duplicate").exists()


def test_names_that_became_pseudonyms_stand_in_no_report_and_no_mapping(project):
    stored(project, ("texts.jsonl", TEXTS))
    found = uploaded(project, ("scores.csv", SCORES + "p1,m-2,Ann@example.org,1\n"))
    done(found, "check")
    plan = FieldMap.from_dict(found.field_map)
    imports.revise(found, field_map=plan, keep_names=False, leave_out_bad_rows=True, now=NOW)
    done(found, "store")
    kept = [json.dumps(job.report) for job in found.jobs.all()] + [json.dumps(found.field_map)]
    assert not any("example.org" in words for words in kept)
