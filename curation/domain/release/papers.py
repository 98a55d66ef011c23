"""CITATION.cff, prov.json and DATASHEET.md."""

import json

from curation.domain.release import canaries
from curation.domain.release.card_sections import paragraphs, plain
from curation.domain.release.described import LICENCES, Described

UNSAID = "Not recorded here: ask the team."  # where it was not asked


def citation(of: Described) -> str:
    """CITATION.cff 1.2.0. Values are JSON strings, which YAML reads as they are."""
    known = LICENCES.get(of.licence)
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this benchmark, please cite it."',
        "type: dataset",
        f"title: {json.dumps(of.title)}",
        f"version: {json.dumps(of.version)}",
        *([f"date-released: {json.dumps(of.date)}"] if of.date else []),
        *([f"license: {known.spdx}"] if known else []),
        "authors:",
        f"  - name: {json.dumps(f'The contributors of {of.name}')}",
        "keywords:",
        "  - human preference",
        "  - writing",
        "  - benchmark",
    ]
    return "\n".join(lines) + "\n"


def provenance(of: Described) -> dict[str, object]:
    """PROV-JSON: which snapshot, by which recipe and code, became the release."""
    release, judged = f"plumb:release/{of.name}/{of.version}", f"plumb:snapshot/{of.snapshot or 'files'}"
    curated, software = f"plumb:curation/{of.name}/{of.version}", f"plumb:software/{of.code_version}"
    entities: dict[str, object] = {
        release: {"prov:type": "plumb:Release", "plumb:pairs": of.pairs},
        judged: {"prov:type": "plumb:Judgements", "plumb:judgements": of.judgements},
    }
    derived = {"_:id1": {"prov:generatedEntity": release, "prov:usedEntity": judged}}
    if of.previous:
        before = f"plumb:release/{of.name}/{of.previous}"
        entities[before] = {"prov:type": "plumb:Release"}
        derived["_:id2"] = {
            "prov:generatedEntity": release,
            "prov:usedEntity": before,
            "prov:type": "prov:Revision",
        }
    return {
        "prefix": {"plumb": "urn:plumb:"},
        "entity": entities,
        "activity": {curated: {"plumb:recipe": json.dumps(of.recipe, ensure_ascii=False)}},
        "agent": {
            software: {"prov:type": "prov:SoftwareAgent"},
            "plumb:annotators": {"prov:type": "prov:Person", "plumb:number": of.annotators},
        },
        "used": {"_:id3": {"prov:activity": curated, "prov:entity": judged}},
        "wasGeneratedBy": {"_:id4": {"prov:entity": release, "prov:activity": curated}},
        "wasAssociatedWith": {"_:id5": {"prov:activity": curated, "prov:agent": software}},
        "wasAttributedTo": {"_:id6": {"prov:entity": judged, "prov:agent": "plumb:annotators"}},
        "wasDerivedFrom": derived,
    }


def datasheet(of: Described) -> str:
    """The questions of a datasheet, with what the release itself knows; what only people know is left to them."""
    alpha = "undefined" if of.alpha is None else f"{of.alpha:.3f}"
    withheld = sorted(path for table in of.tables for path in table.withheld_paths())
    held = (
        "The split `heldout` is kept back; whoever may take it is on a list, and every download is recorded: "
        + ", ".join(f"`{path}`" for path in withheld)
        + "."
        if withheld
        else "Nothing."
    )
    answers = (
        ("What is it for?", of.about + " It is for evaluation, not for training."),
        ("What does it rest on?", f"{of.judgements:,} judgements of {of.responses:,} responses."),
        *_of_annotators(of),
        ("How far did they agree?", f"Krippendorff's alpha, ordinal, over all judgements: {alpha}."),
        (
            "How was it made?",
            "By the recipe in manifest.json, with every parameter; the funnel counts what left.",
        ),
        ("What is kept back?", held),
        (
            "What are its limits?",
            "Accepted pairs are those on which annotators agreed. Preferences are theirs, under their rubric, in the "
            "languages and genres at hand. Pairs of one prompt are not independent.",
        ),
        (
            "How is it maintained?",
            "A release never changes. Corrections are new versions; a release that nobody should use is yanked.",
        ),
        ("How is it known in training data?", canaries.SENTENCE.format(canary=of.canary)),
    )
    sections = [f"## {question}\n\n{answer}" for question, answer in answers]
    # A release from before the team was asked is made again with its note as it stood.
    told = of.note if of.statements is None else plain(of.note)
    note = [f"## What is new\n\n{told}"] if of.note else []
    return "\n\n".join([f"# Datasheet of {of.title}", *note, *sections]) + "\n"


def _of_annotators(of: Described) -> list[tuple[str, str]]:
    who = f"{of.annotators:,} people, under pseudonyms of this release."
    said = of.statements
    if said is None:
        answers = [f"{who} {UNSAID}", UNSAID, UNSAID]
    else:
        stated = paragraphs(said.annotators)
        answers = [
            f"{who}\n\n{stated}" if stated else f"{who} The team has not stated who they are.",
            paragraphs(said.training) or "The team has not stated how they were trained.",
            paragraphs(said.pay) or "The team has not stated what they were paid.",
        ]
    questions = ("Who annotated?", "How were they trained?", "How were they paid?")
    return [*zip(questions, answers, strict=True)]
