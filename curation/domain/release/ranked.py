"""Rankings that people gave, in a release of pairs: a row for each prompt, and one for each ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotation.domain.material import ResponseRow
from annotation.domain.rankings import Tiers
from curation.domain import human_rankings
from curation.domain.judgements import moment
from curation.domain.release.tables import TEXT, TEXTS, TIERS, WHOLE, WHOLES

RANKINGS_COLUMNS = {
    "prompt_id": TEXT,
    "category": TEXT,
    "requirements": WHOLE,
    "gold": TIERS,
    "combined": TIERS,
    "annotators": WHOLE,
    "prompt": TEXT,
    "language": TEXT,
    "ids": TEXTS,
    "kept": WHOLES,
    "texts": TEXTS,
}
GIVEN_COLUMNS = {"prompt_id": TEXT, "annotator": TEXT, "tiers": TIERS, "at": TEXT}


@dataclass(frozen=True, slots=True)
class GivenRanking:
    """What one annotator gave: tiers of ids, best first. `at` is None where a file did not say."""

    annotator: str
    tiers: Tiers
    at: datetime | None


@dataclass(frozen=True, slots=True)
class RankedPrompt:
    """What people gave for the texts of a prompt. `kept` is how many of its requirements each text was asked to
    satisfy; {} where that is not known of every one."""

    prompt_id: str
    requirements: int
    kept: Mapping[str, int]
    given: Sequence[GivenRanking]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Prompts in the order of their ids' bytes, with the responses that were ranked, by id."""

    prompts: Sequence[RankedPrompt] = ()
    texts: Mapping[str, ResponseRow] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        return {
            "prompts": len(self.prompts),
            "rankings": sum(len(prompt.given) for prompt in self.prompts),
            "annotators": len({row.annotator for prompt in self.prompts for row in prompt.given}),
        }


def of_material(found: Sequence[RankedPrompt], responses: Sequence[ResponseRow]) -> Ranked:
    """What was given, of texts of the material alone; a ranking of fewer than two of them says nothing and is left
    out. Annotators in the order of their bytes."""
    if not found:
        return Ranked()
    texts = {row.id: row for row in responses}
    kept = []
    for prompt in found:
        given = [
            GivenRanking(row.annotator, tiers, row.at)
            for row in prompt.given
            if sum(map(len, tiers := _standing(row.tiers, texts))) > 1
        ]
        if given:
            in_order = sorted(given, key=lambda row: row.annotator.encode())
            kept.append(RankedPrompt(prompt.prompt_id, prompt.requirements, prompt.kept, in_order))
    return Ranked(sorted(kept, key=lambda prompt: prompt.prompt_id.encode()), texts)


def _standing(tiers: Tiers, texts: Mapping[str, ResponseRow]) -> Tiers:
    standing = (tuple(name for name in tier if name in texts) for tier in tiers)
    return tuple(tier for tier in standing if tier)


def prompt_row(prompt: RankedPrompt, texts: Mapping[str, ResponseRow]) -> dict[str, object]:
    """The gold order and what the people's come to together: of those who ranked every text. () where there is none."""
    ids = sorted({name for row in prompt.given for tier in row.tiers for name in tier}, key=str.encode)
    whole = [row.tiers for row in prompt.given if sum(map(len, row.tiers)) == len(ids)]
    kept = {name: prompt.kept[name] for name in ids} if set(ids) <= prompt.kept.keys() else {}
    first = texts[ids[0]]
    return {
        "prompt_id": prompt.prompt_id,
        "category": first.genre,
        "requirements": prompt.requirements,
        "gold": human_rankings.gold(kept) if kept else (),
        "combined": human_rankings.combined(whole),
        "annotators": len(prompt.given),
        "prompt": first.prompt,
        "language": first.language,
        "ids": ids,
        "kept": [kept[name] for name in ids] if kept else [],
        "texts": [texts[name].text for name in ids],
    }


def given_rows(prompt: RankedPrompt) -> Iterator[dict[str, object]]:
    for row in prompt.given:
        yield {
            "prompt_id": prompt.prompt_id,
            "annotator": row.annotator,
            "tiers": row.tiers,
            "at": moment(row.at),
        }
