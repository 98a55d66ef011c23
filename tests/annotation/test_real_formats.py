"""The files people really have: each sample is recognised, and imports by itself or after one or two choices."""

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.domain.field_map import FieldMap, Source
from annotation.models import Flag, Import, Membership, Preference, Response, Score
from annotation.services import imports, imports_run
from tests.factories import NOW

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
SAMPLES = DATA / "format_samples"
WPB = DATA / "wpb_zh"
VOTES = {"0": "tie", "1": "a", "2": "b"}  # of PandaLM
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.exists(), reason="the sample files are not beside this checkout"),
]


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


def uploaded(project, *paths: Path) -> Import:
    return imports.upload(project, [(path.name, [path.read_bytes()]) for path in paths], by=None, now=NOW)


def choose(found: Import, *, leave_out: bool = False, **choices: object) -> None:
    """What a lead changes in the mapping: sources of fields, or unknown_genres."""
    plan = FieldMap.from_dict(found.field_map)
    genres = choices.pop("unknown_genres", plan.unknown_genres)
    fields = {name: source for name, source in {**plan.fields, **choices}.items() if source}
    changed = replace(plan, fields=fields, unknown_genres=genres)
    imports.revise(found, field_map=changed, keep_names=False, leave_out_bad_rows=leave_out, now=NOW)
    found.refresh_from_db()


def done(found: Import, action: str = "store") -> dict:
    job = imports.request(found, action, by=None, now=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == "done", (job.error, (job.report or {}).get("problems", [])[:3])
    return job.report


@pytest.fixture
def synopses(project):
    """A project that holds the 120 texts which most samples judge."""
    report = done(uploaded(project, DATA / "pron_vs_prompt" / "gpt4_texts.jsonl"))
    assert report["responses"] == 120
    return project


@pytest.fixture
def stories(project):
    """A project that holds the Chinese texts of 19 models."""
    found = uploaded(project, WPB / "subset_22prompts_19models.jsonl")
    choose(found, score=None, justification=None, unknown_genres="add")
    assert done(found)["responses"] == 418
    return project


def scores() -> list[tuple[str, int]]:
    return sorted(Score.objects.values_list("response__external_id", "value"))


def as_the_csv_module_reads_them() -> list[tuple[str, int]]:
    with (SAMPLES / "wide_scores.utf8bom.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return sorted((row["item"], int(row[name])) for row in rows for name in row if name != "item")


RATINGS = [
    "argilla.flat.json",
    "argilla.records.json",
    "label_studio.full.json",
    "label_studio.min.json",
    "label_studio.csv",
    "mturk_batch_results.csv",
    "potato.annotations.csv",
    "wide_scores.semicolon.csv",
    "wide_scores.utf8bom.csv",
]


@pytest.mark.parametrize("name", RATINGS)
def test_ratings_of_eight_texts_by_three_experts_import_by_themselves(synopses, name):
    report = done(uploaded(synopses, SAMPLES / name))
    assert (report["scores"], report["annotators"], report["responses"], report["refused"]) == (24, 3, 0, 0)
    assert scores() == as_the_csv_module_reads_them()
    assert not Membership.objects.filter(external_id__contains="xpert").exists()


def test_a_file_for_each_annotator_tells_them_apart_by_its_name(synopses):
    found = uploaded(synopses, *sorted((SAMPLES / "doccano_individual").iterdir()))
    choose(found, text=None)  # the texts are there already
    report = done(found)
    assert (report["scores"], report["annotators"]) == (24, 3)


@pytest.mark.parametrize("name", ["zh_scores.gb18030.csv", "zh_scores.utf16.tsv"])
def test_chinese_tables_need_only_the_name_of_who_scored(stories, name):
    found = uploaded(stories, SAMPLES / name)
    assert FieldMap.from_dict(found.field_map).fields["prompt_id"].columns == ("提示编号",)
    choose(found, annotator=Source(constant="first pass"))
    assert done(found)["scores"] == 12


def test_a_batch_of_answers_brings_texts_and_flags_those_that_were_cut_off(project):
    report = done(uploaded(project, SAMPLES / "openai_batch_output.jsonl"))
    assert (report["responses"], report["prompts"], report["scores"]) == (12, 1, 0)
    assert set(Response.objects.values_list("prompt__external_id", flat=True)) == {
        "65fca3a9-6621-4162-a477-33083c83b1f4"
    }
    assert report["flags"]["finish_reason"] == 2


def test_votes_bring_their_texts_once_and_are_no_scores(project):
    found = uploaded(project, SAMPLES / "mtbench_human_votes.jsonl")
    assert done(found, "check")["refused"] == 12  # answers that are empty, and the votes on them
    choose(found, leave_out=True)
    report = done(found)
    assert (report["prompts"], report["responses"], report["scores"]) == (20, 38, 0)
    assert (report["preferences"], report["annotators"]) == (54, 3)
    given = [json.loads(line) for line in (SAMPLES / "mtbench_human_votes.jsonl").open(encoding="utf-8")]
    kept = Counter(
        (f"{one['question_id']}|{one['model_a']}", {"model_a": "a", "model_b": "b"}[one["winner"]])
        for one in given
        if all(one[side][1]["content"].strip() for side in ("conversation_a", "conversation_b"))
    )
    assert Counter(Preference.objects.values_list("response_a__external_id", "preferred")) == kept


def test_the_votes_of_the_pandalm_test_set_are_those_of_three_annotators(project):
    found = uploaded(project, DATA / "pandalm_testset" / "testset-v1.json")
    choose(found, leave_out=True)
    report = done(found)
    assert (report["annotators"], report["scores"]) == (3, 0)
    given = json.loads((DATA / "pandalm_testset" / "testset-v1.json").read_text(encoding="utf-8"))
    first: dict[
        tuple[str, str, str], str
    ] = {}  # of several texts of one model on one prompt the first is taken
    expected: Counter[str] = Counter()
    for one in given:
        texts = [one["response1"], one["response2"]]
        keys = [(one["instruction"], one["input"], model) for model in one["cmp_key"].split("_")]
        usable = [isinstance(text, str) and bool(text.strip()) for text in texts]
        kept = [
            fit and first.setdefault(key, text) == text
            for fit, key, text in zip(usable, keys, texts, strict=True)
        ]
        if all(kept):
            expected.update(VOTES[str(one[name])] for name in ("annotator1", "annotator2", "annotator3"))
    assert Counter(Preference.objects.values_list("preferred", flat=True)) == expected
    assert report["preferences"] == expected.total()


def test_raw_results_of_six_models_with_their_scores(project):
    texts = uploaded(project, *sorted((WPB / "responses_raw").glob("*.json")))
    assert texts.layout == "wpb_responses"
    choose(texts, unknown_genres="add")
    report = done(texts)
    assert (report["prompts"], report["responses"]) == (204, 1224)
    models = sorted(path.stem for path in (WPB / "responses_raw").glob("*.json"))
    judged = uploaded(project, *(WPB / "scores" / f"{model}.json" for model in models))
    choose(judged, annotator=Source(constant="first pass"))
    report = done(judged)
    assert (report["scores"], report["refused"]) == (1224, 0)
    flagged = Flag.objects.filter(check_key="finish_reason").values_list("response__source_model", flat=True)
    assert Counter(flagged)["huggingface-model"] == 12
    errors = Flag.objects.filter(check_key="provider_error", response__source_model="qwen-plus")
    assert {flag.response.text[:20] for flag in errors} == {
        "Output data may cont",
        '{"error":{"message":',
    }
    apologies = Response.objects.filter(source_model="gemini-2.0-flash", text__contains="实在抱歉")
    assert apologies.exists()
    assert not Flag.objects.filter(response__in=apologies, check_key="refusal").exists()
    assert Flag.objects.filter(check_key="placeholder_prompt", prompt__text__contains="/").count() == 3


def test_three_experts_and_their_forms_import_by_choosing_the_question(synopses):
    found = uploaded(synopses, DATA / "pron_vs_prompt" / "expert_assessment.csv")
    assert found.shape["delimiter"] == ","
    choose(
        found,
        text=None,
        response_id=Source(columns=("title_id", "synopsis_writer")),
        annotator=Source(columns=("username",)),
        score=Source(columns=("4_creativity_synopsis",)),
        at=None,
        leave_out=True,
    )
    report = done(found, "check")
    assert report["rows"] == 720


def test_preferences_written_as_true_and_false_are_refused_with_their_row(project, tmp_path):
    path = tmp_path / "pandalm.json"
    content = (DATA / "pandalm_testset" / "testset-v1.json").read_text(encoding="utf-8")
    path.write_text(content, encoding="utf-8")
    found = uploaded(project, path)
    report = done(found, "check")
    assert report["refused"] > 0
    reasons = {problem["reason"]["template"] for problem in report["problems"]}
    assert any("not a text" in reason for reason in reasons)
    assert all(problem["line"] for problem in report["problems"])
