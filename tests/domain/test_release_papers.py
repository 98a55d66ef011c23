"""What catalogues, harnesses and people read of a release."""

import json
import re
from dataclasses import replace

import pytest
import yaml

from curation.domain.release import croissant, datapackage, front_matter, harnesses, papers
from curation.domain.release.described import LICENCES, Described
from curation.domain.release.files import FileFacts
from curation.domain.release.tables import PREFERENCE_COLUMNS, TEXT, TEXTS, WHOLE, Table
from curation.domain.terms import Statements

PAIRS = Table(
    "pairs", {"id": TEXT, "k": WHOLE, "flags": TEXTS, "score": WHOLE}, ("test", "heldout"), ("heldout",)
)
PREFERENCE = Table("preference", PREFERENCE_COLUMNS)
FILES = {
    "data/pairs/test.jsonl": FileFacts(10, 1, "a" * 64),
    "data/preference/test.jsonl": FileFacts(20, 1, "b" * 64),
    "csv/pairs-test.csv": FileFacts(30, 2, "c" * 64),
}
OF = Described(
    name="Bridges.Zh",
    version="1.2.0",
    licence="odc-by",
    date="2026-12-01",
    canary="7b0c6f7e-0000-4000-8000-000000000000",
    note="Two prompts more.",
    previous="1.1.0",
    code_version="0.1.0",
    recipe={"recipe": "writing-preference"},
    tables=(PAIRS, PREFERENCE),
    pairs=12,
    prompts=3,
    responses=6,
    annotators=3,
    judgements=18,
    alpha=0.4321,
    languages=("en", "zh"),
    snapshot="f" * 64,
)
BARE = replace(OF, licence="", date="", note="", previous="", alpha=None, languages=(), snapshot="")


def test_croissant_names_every_open_file_with_its_checksum_and_every_column():
    found = croissant.document(OF, FILES)
    assert [(file["contentUrl"], file["sha256"]) for file in found["distribution"]] == [
        ("data/pairs/test.jsonl", "a" * 64),
        ("data/preference/test.jsonl", "b" * 64),
    ]
    pairs, preference = found["recordSet"]
    assert [field["name"] for field in pairs["field"]] == ["id", "k", "flags", "score"]
    assert pairs["field"][2]["repeated"] is True
    assert [field["name"] for field in preference["field"]] == [
        "id",
        "prompt_id",
        "margin",
        "genre",
        "language",
    ]
    assert (found["license"], found["datePublished"]) == (LICENCES["odc-by"].url, "2026-12-01")
    assert found["rai:dataAnnotationAnalysis"].endswith("0.432.")


def test_the_package_describes_spreadsheets_with_types_and_ranges_and_the_rest_by_checksum():
    found = datapackage.document(OF, FILES)
    assert found["name"] == "bridges.zh"
    by_name = {resource["name"]: resource for resource in found["resources"]}
    assert list(by_name) == ["csv-pairs-test", "pairs-test", "preference-test"]
    assert by_name["csv-pairs-test"]["hash"] == f"sha256:{'c' * 64}"
    fields = {field["name"]: field for field in by_name["csv-pairs-test"]["schema"]["fields"]}
    assert fields["score"] == {
        "name": "score",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 3},
    }
    assert all(re.fullmatch(r"[-a-z0-9._/]+", name) for name in by_name)


def test_nothing_is_said_of_what_is_not_known():
    found = croissant.document(BARE, FILES)
    assert not {"license", "datePublished", "inLanguage"} & found.keys()
    assert not {"licenses", "created"} & datapackage.document(BARE, FILES).keys()
    citation = yaml.safe_load(papers.citation(BARE))
    assert not {"license", "date-released"} & citation.keys()
    assert "undefined" in papers.datasheet(BARE)
    assert "What is new" not in papers.datasheet(BARE)


def test_the_citation_is_yaml_whatever_the_name_is():
    found = yaml.safe_load(papers.citation(replace(OF, name="x: [1", version="1.0.0")))
    assert (found["title"], found["version"]) == ("x: [1 1.0.0", "1.0.0")
    assert (found["license"], found["date-released"]) == ("ODC-By-1.0", "2026-12-01")


def test_provenance_says_what_became_what_and_names_the_version_before():
    found = papers.provenance(OF)
    assert set(found["entity"]) == {
        "plumb:release/Bridges.Zh/1.2.0",
        "plumb:release/Bridges.Zh/1.1.0",
        f"plumb:snapshot/{'f' * 64}",
    }
    named = {*found["entity"], *found["activity"], *found["agent"]}
    for relation in ("used", "wasGeneratedBy", "wasAssociatedWith", "wasAttributedTo", "wasDerivedFrom"):
        for each in found[relation].values():
            assert {value for key, value in each.items() if key != "prov:type"} <= named
    assert len(papers.provenance(BARE)["wasDerivedFrom"]) == 1


def test_the_datasheet_says_what_is_kept_back():
    text = papers.datasheet(OF)
    assert "`data/pairs/heldout.jsonl`" in text
    assert OF.canary in text
    assert "Two prompts more." in text


@pytest.mark.parametrize("name", ["demo", "Bridges.Zh-2", "9lives"])
def test_a_task_of_the_harness_is_yaml_and_one_of_inspect_is_python(name):
    task = yaml.safe_load(harnesses.lm_eval(name, "1.0.0"))
    assert task["task"] == harnesses.task_name(name)
    assert task["doc_to_choice"] == "{{[chosen[1].content, rejected[1].content]}}"
    assert task["dataset_kwargs"]["data_files"] == {"test": "data/preference/test.jsonl"}
    assert task["target_delimiter"] == ""  # else every choice begins with a blank that the text has not
    compile(harnesses.inspect_task(name), "task.py", "exec")
    assert harnesses.task_name(name).isidentifier()


def test_documents_are_json():
    for document in (croissant.document(OF, FILES), datapackage.document(OF, FILES), papers.provenance(OF)):
        json.dumps(document, allow_nan=False)


def test_every_configuration_of_a_card_bears_the_canary():
    lines = front_matter.configurations([PAIRS, PREFERENCE], default="pairs", canary=OF.canary)
    configs = yaml.safe_load("\n".join(lines))["configs"]
    assert [config["description"] for config in configs] == [f"Canary {OF.canary}"] * 2


# --- what the team states ----------------------------------------------------------------------------------

SAID = Statements(
    annotators="Four students of Chinese.\n\nAll read for pleasure.",
    training="A course.",
    pay="20 EUR an hour.",
)
# What Markdown, HTML or YAML would take for more than words.
HOSTILE = (
    "---\nname: x",
    "# A heading",
    "<script>alert(1)</script>",
    "[here](https://example.org)",
    "![x](y)",
    "```\ncode",
    "| a | b |",
    "1. one",
    "- one",
    "> quoted",
    "&lt;b&gt; *x* _y_ ~z~",
)


def answers_of(text):
    parts = text.split("\n## ")[1:]
    return dict(part.rstrip("\n").split("\n\n", 1) for part in parts)


def test_the_datasheet_prints_what_the_team_states_of_its_annotators():
    found = answers_of(papers.datasheet(replace(OF, statements=SAID)))
    assert found["Who annotated?"] == (
        "3 people, under pseudonyms of this release.\n\nFour students of Chinese\\.\n\nAll read for pleasure\\."
    )
    assert found["How were they trained?"] == "A course\\."
    assert found["How were they paid?"] == "20 EUR an hour\\."


def test_where_the_team_states_nothing_the_datasheet_says_so():
    found = answers_of(papers.datasheet(replace(OF, statements=Statements())))
    assert found["Who annotated?"].endswith("The team has not stated who they are.")
    assert found["How were they trained?"] == "The team has not stated how they were trained."
    assert found["How were they paid?"] == "The team has not stated what they were paid."


def test_a_release_whose_team_was_not_asked_is_described_as_it_was():
    found = answers_of(papers.datasheet(OF))
    assert found["Who annotated?"] == f"3 people, under pseudonyms of this release. {papers.UNSAID}"
    assert found["How were they trained?"] == found["How were they paid?"] == papers.UNSAID
    document = croissant.document(OF, FILES)
    assert document["rai:annotatorDemographics"] == (
        "3 annotators under pseudonyms; DATASHEET.md says what is known."
    )
    assert document["rai:dataAnnotationProtocol"].endswith("makes pairs of them.")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["annotators", "training", "pay"])
def test_words_of_people_stay_words(text, field):
    plainly = papers.datasheet(replace(OF, statements=Statements(**{field: "x"})))
    found = papers.datasheet(replace(OF, note=text, statements=Statements(**{field: f"Well.\n\n{text}"})))
    for mark in ("\n#", "\n---", "```", "\n|", "\n- ", "\n> ", "\n1. ", "]("):
        assert found.count(mark) == plainly.count(mark), mark
    assert not re.search(r"(?<!\\)<", found)
    assert answers_of(found).keys() == answers_of(plainly).keys()


def test_croissant_says_who_annotated_and_how_they_were_trained_and_paid():
    found = croissant.document(replace(OF, statements=SAID), FILES)
    assert found["rai:annotatorDemographics"] == (
        "3 annotators under pseudonyms. Four students of Chinese. All read for pleasure."
    )
    assert found["rai:dataAnnotationProtocol"].endswith(" Training: A course. Pay: 20 EUR an hour.")
    nothing = croissant.document(replace(OF, statements=Statements()), FILES)
    assert nothing["rai:annotatorDemographics"].endswith("the team has not stated who they are.")
    assert nothing["rai:dataAnnotationProtocol"].endswith("makes pairs of them.")
