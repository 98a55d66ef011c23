"""How well a model's rankings follow gold ones, for people who have nothing but a file of them."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError
from curation.domain import rank_metrics, ranking_rows
from curation.domain.rank_metrics import Averages

MEANINGS = {
    "correlation": "1 for each two texts in the gold's order, -1 in the other, 0 tied: their mean",
    "il_exact": "texts in their exact place, ties broken at random",
    "il_graded": "1 - mean distance from the place / (n - 1)",
    "pl": "prompts ranked exactly as in the gold, without ties",
    "tie_rate": "pairs of texts that the ranking ties",
}


class Command(BaseCommand):
    help = (
        "Computes how well rankings follow gold ones, averaged over prompts and times 100, of a JSONL file: each "
        'line a prompt with prompt_id, gold (tiers of ids, best first: [["a"], ["b", "c"]]), and either scores '
        '({"a": 0.9, ...}, more is better) or ranking (tiers). Needs no database and no settings.'
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--predictions", type=Path, required=True, metavar="FILE", help="JSONL")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *, predictions: Path, json: bool, **options: object) -> None:
        try:
            rows = ranking_rows.read_predictions(predictions)
        except InputError as error:
            raise CommandError(str(error)) from error
        found = rank_metrics.by_prompt([row.predicted for row in rows], [row.gold for row in rows]).averages()
        self.stdout.write(as_json(found) if json else "\n".join(as_text(found)))


def as_json(found: Averages) -> str:
    return json.dumps(found.as_dict(), indent=2, allow_nan=False)


def as_text(found: Averages) -> Iterator[str]:
    yield f"Prompts: {found.n:,}. Times 100; by chance il_graded is {found.chance:.2f}."
    yield ""
    for name, meaning in MEANINGS.items():
        yield f"{name:12}{getattr(found, name):8.2f}  {meaning}"
