"""Agreement of the annotators of a file of scores, for people who have nothing but the file."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError, shown
from curation.domain import agreement
from curation.management.agreement_of_files import parts, scales, text
from curation.management.agreement_of_files.parts import Found
from curation.management.agreement_of_files.rows import Bootstrap
from curation.management.agreement_of_files.scores import Scores, read_scores

MOST_REPLICATES = 100_000
MOST_NAMED = 5
OF_ROWS = ("unit", "annotator", "value")  # columns that do not tell units apart


class Command(BaseCommand):
    help = (
        "Computes Krippendorff's alpha, with a 95 % bootstrap interval, of a CSV (or JSONL) file with the "
        "columns unit, annotator, value and, if the interval is to respect prompts, prompt; of every part of "
        "the file, and other coefficients, where they are asked for."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scores", type=Path, metavar="SCORES.csv", help="one row for each value")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
        parser.add_argument("--level", choices=["all", *agreement.LEVELS], default="all", help="default: all")
        parser.add_argument(
            "--by", metavar="COLUMN", help="the same for units of each value of a column, such as genre"
        )
        parser.add_argument(
            "--coefficients",
            choices=["alpha", "all"],
            default="alpha",
            help="all: also chance-corrected ones, ICC, kappas of pairs, alpha without each annotator",
        )
        parser.add_argument(
            "--scale",
            metavar="LEVELS",
            help="of all coefficients, where the values that occur do not tell it, such as 0,1,2,3",
        )
        parser.add_argument("--replicates", type=int, default=2000, help="of the bootstrap; default: 2000")
        parser.add_argument("--seed", default="plumb-1", help="of the bootstrap; default: plumb-1")

    def handle(
        self,
        *,
        scores: Path,
        json: bool,
        level: str,
        by: str | None,
        coefficients: str,
        scale: str | None,
        replicates: int,
        seed: str,
        **options: object,
    ) -> None:
        if not 0 <= replicates <= MOST_REPLICATES:
            raise CommandError(
                f"--replicates is {replicates}; use a whole number up to {MOST_REPLICATES}, 0 for no interval."
            )
        if by in OF_ROWS:
            raise CommandError(f"--by {by} tells no units apart; name a column such as genre or language.")
        if scale is not None and coefficients != "all":
            raise CommandError("--scale serves --coefficients all alone; add that, or leave --scale out.")
        try:
            declared = None if scale is None else scales.declared(scale)
            table = read_scores(scores, by)
            taken = None if coefficients == "alpha" else scales.of_scores(table, declared)
        except scales.ScaleError as error:
            raise CommandError(f"--scale: {error}.") from error
        except InputError as error:
            raise CommandError(str(error)) from error
        levels = agreement.LEVELS if level == "all" else (level,)
        found = parts.of_file(table, taken, by=by, levels=levels, bootstrap=Bootstrap(replicates, seed))
        for note in notes(found, table, replicates):
            self.stderr.write(note)
        self.stdout.write(as_json(found) if json else text.of_file(found, drawn(table), replicates))


def drawn(table: Scores) -> str:
    return "units" if table.clusters() is None else "prompts"


def as_json(found: Found) -> str:
    return json.dumps(found.as_dict(), indent=2, allow_nan=False)


def notes(found: Found, table: Scores, replicates: int) -> Iterator[str]:
    """What a person should know beside the figures."""
    alphas = found.whole.report.alpha
    needs_numbers = [level for level, a in alphas.items() if a.reason == "level_needs_numbers"]
    if needs_numbers and table.first_label is not None:
        label = shown(table.first_label.values["value"])
        reason = (
            f"{label} is not a number, so all values are taken as labels, which serve nominal alpha alone"
        )
        yield str(table.first_label.error("value", reason))
    if found.scale is not None and found.scale.source != "declared":
        yield scales.note(table, found.scale)
    needs = f"it needs at least two {drawn(table)} in which values can be compared."
    if replicates and found.whole.lacks_interval:
        yield f"No interval: {needs}"
    lacking = [shown(name) for name, part in found.groups.items() if part.lacks_interval]
    if replicates and lacking:
        names = ", ".join(lacking[:MOST_NAMED]) + (", ..." if len(lacking) > MOST_NAMED else "")
        yield f"No interval for {names}: {needs}"
