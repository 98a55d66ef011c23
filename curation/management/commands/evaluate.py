"""How well a model does on a release, for people who have nothing but the folder and a file of predictions."""

import json
import textwrap
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from django.core.management.base import BaseCommand, CommandError

from annotation.domain.records import InputError
from annotation.domain.strict_json import printable
from curation.domain.audit.found import BASELINES, LONGER, Share
from curation.domain.ceiling import Ceiling
from curation.domain.evaluation.accuracy import Accuracy, Draws
from curation.domain.evaluation.orders import Part
from curation.domain.evaluation.parts import GENRES, LANGUAGES, STRATA, Divided
from curation.domain.evaluation.predictions import Predictions
from curation.domain.evaluation.problems import Problem, Problems
from curation.domain.evaluation.report import Compared, OfOrders, OfPairs, Report, Results
from curation.domain.rank_metrics import NAMES
from curation.management.agreement_of_files import table
from curation.services import evaluations, verification
from curation.services.evaluations import DamagedError, UnusableError

P = TypeVar("P")

EXIT_CODES = {"differs": 1, "unreadable": 3}
MOST_REPLICATES = 100_000
MOST_SHOWN = 5  # problems of a kind
COLUMNS = 100
WIDEST_NAME = 20  # columns
NOTHING = "-"


class Command(BaseCommand):
    help = (
        "Holds a model's predictions against a release: accuracy on its pairs, in all and by genre and language, with "
        "intervals and what stands beside it, and how well rankings follow its gold ones. PREDICTIONS is JSONL, each "
        "line a response (response_id, score), a pair (pair_id, scores_chosen, scores_rejected), a pair in one order "
        '(pair_id, first, choice: "A", "B", "tie" or null) or a prompt (prompt_id, ranking or scores). What is missing '
        "or no number is reported and counts as wrong. Needs no database and no settings."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", type=Path, metavar="RELEASE_DIR", help="folder of the release")
        parser.add_argument("predictions", type=Path, metavar="PREDICTIONS", help="JSONL")
        parser.add_argument("--against", type=Path, metavar="OTHER", help="predictions of another model")
        parser.add_argument(
            "--responses",
            type=Path,
            metavar="FILE",
            help="that says genre, language and model of responses by id, where the release does not; as for curate",
        )
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
        parser.add_argument("--no-verify", action="store_true", help="take the release as it is")
        parser.add_argument("--replicates", type=int, default=2000, help="of the bootstrap; default: 2000")
        parser.add_argument("--seed", default="plumb-1", help="of all that is drawn; default: plumb-1")

    def handle(
        self,
        *,
        release: Path,
        predictions: Path,
        against: Path | None,
        responses: Path | None,
        json: bool,
        no_verify: bool,
        replicates: int,
        seed: str,
        **options: object,
    ) -> None:
        if not 0 <= replicates <= MOST_REPLICATES:
            raise CommandError(
                f"--replicates is {replicates}; use a whole number up to {MOST_REPLICATES}, 0 for no interval."
            )
        shown = verification.printable(str(release))
        try:
            found = evaluations.evaluate(
                release,
                predictions,
                against=against,
                responses=responses,
                verify=not no_verify,
                draws=Draws(seed, replicates),
            )
        except DamagedError as error:
            remedy = "take it anew, or go on as it is with --no-verify"
            code = EXIT_CODES[error.verdict.outcome]
            raise CommandError(f"{shown} does not verify: {error}; {remedy}.", returncode=code) from error
        except (UnusableError, InputError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(as_json(found, not no_verify) if json else as_text(found, not no_verify))


def as_json(found: Report, verified: bool) -> str:
    said = found.as_dict()
    release = {"name": found.benchmark.name, "version": found.benchmark.version, "verified": verified}
    return json.dumps({**said, "release": release}, indent=2, ensure_ascii=False, allow_nan=False)


def as_text(found: Report, verified: bool) -> str:
    return "\n".join(_lines(found, verified))


def _said(sentence: str) -> list[str]:
    """A sentence in lines of a terminal."""
    return textwrap.wrap(sentence, COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def _lines(found: Report, verified: bool) -> Iterator[str]:
    name = " ".join(part for part in (found.benchmark.name, found.benchmark.version) if part) or "Release"
    yield f"{printable(name)}, {'verified' if verified else 'not verified'}."
    yield from _file(found.predictions, found.problems)
    if found.pairs is not None:
        yield from _pairs(found.pairs)
    if found.rankings is not None:
        yield from _rankings(found.rankings)
    if found.other is not None and found.other_problems is not None:
        yield ""
        yield "Against:"
        yield from _file(found.other, found.other_problems)
        for compared, what in ((found.against_pairs, "accuracy"), (found.against_rankings, "correlation")):
            if compared is not None:
                yield from _against(compared, what)


def _file(predictions: Predictions, problems: Problems) -> Iterator[str]:
    rows = f"{predictions.given.rows:,} rows of {predictions.form}"
    counts = {kind: count for kind, count in problems.counts().items() if count}
    said = ", ".join(f"{kind} {count:,}" for kind, count in counts.items()) or "none"
    yield from _said(f"{printable(predictions.source)}: {rows}. Problems: {said}.")
    for problem in problems.listed(MOST_SHOWN):
        yield f"  {_problem(problem)}"
    yield from (
        f"  {kind}: {count - MOST_SHOWN:,} more" for kind, count in counts.items() if count > MOST_SHOWN
    )


def _problem(problem: Problem) -> str:
    where = f"line {problem.line}, " if problem.line else ""
    first = f", first {printable(problem.first)}" if problem.first else ""
    return f"{problem.kind}: {where}{printable(problem.id)}{first}"


# --- pairs -----------------------------------------------------------------------------------------------


def _pairs(found: Results[OfPairs]) -> Iterator[str]:
    whole = found.divided.whole
    yield ""
    yield f"Pairs: {whole.model.pairs:,} of {whole.model.prompts:,} prompts. Times 100; intervals draw prompts."
    yield "A tie, or no answer, is wrong."
    header = ("", "pairs", "accuracy", "95 %", "p", "Holm", "ties", "none", "people", "longer wins")
    rows = [_pair_row(name, part) for name, part in _parts(found.divided)]
    yield from table.lines(header, rows, right=range(1, len(header)))
    yield from _unknown(found.divided)
    yield from _spreads(found, "accuracy")
    yield f"With ties as half: {_with_interval(whole.model.ties_half)}."
    yield from _position(whole.model)
    yield from _independent(whole.model)
    yield "Guesses by one thing alone, of all pairs, ties half:"
    yield from table.lines(
        ("", "right", ""), [_guess(name, whole.baselines[name]) for name in BASELINES], right=(1,)
    )
    yield from _said(
        f"People, how often one agrees with pairs that the others accept, ties half: {_ceiling(whole.ceiling)}."
    )


def _pair_row(name: str, part: OfPairs) -> tuple[str, ...]:
    model = part.model
    return (
        name + (" (few)" if model.few else ""),
        f"{model.pairs:,}",
        _hundredths(model.accuracy.value),
        _interval(model.accuracy.low, model.accuracy.high),
        _p(model.p.p),
        _p(part.p_holm),
        f"{model.ties:,}",
        f"{model.unanswered:,}",
        _hundredths(part.ceiling.value),
        _hundredths(part.baselines[LONGER].rate),
    )


def _position(model: Accuracy) -> Iterator[str]:
    if model.position is not None:
        yield from _said(
            f"Position: the same in both orders {_with_interval(model.position.consistent)}, right in both "
            f"{_hundredths(model.position.right_in_both.value)}, the text shown first preferred "
            f"{_with_interval(model.position.first_preferred)}."
        )


def _independent(model: Accuracy) -> Iterator[str]:
    yield from _said(
        f"Pairs as if independent: Wilson {_interval(model.wilson.low, model.wilson.high)}, exact "
        f"{_interval(model.exact.low, model.exact.high)}, binomial p {_p(model.binomial.p)} "
        f"({model.binomial.k:,} of {model.binomial.n:,})."
    )


def _guess(name: str, share: Share) -> tuple[str, ...]:
    if share.rate is None or share.reason:
        return name, NOTHING, str(share.reason)
    return name, _hundredths(share.rate), _interval(share.low, share.high)


def _ceiling(found: Ceiling) -> str:
    if found.value is None:
        return f"{NOTHING} ({found.reason})"
    interval = _interval(found.low, found.high)
    return f"{_hundredths(found.value)}, {interval}, of {found.annotators:,} annotators"


# --- rankings --------------------------------------------------------------------------------------------


def _rankings(found: Results[OfOrders]) -> Iterator[str]:
    whole = found.divided.whole.model
    yield ""
    yield f"Gold rankings: {whole.averages.n:,} prompts. Times 100; intervals draw prompts."
    if whole.averages.chance is not None:
        yield f"No ranking is wrong in every pair and place. By chance il_graded is {whole.averages.chance:.2f}."
    rows = [_ranking_row(name, part.model) for name, part in _parts(found.divided)]
    yield from table.lines(("", "prompts", "none", *NAMES), rows, right=range(1, 3 + len(NAMES)))
    low_high = (f"{name} {_ends(whole, name)}" for name in NAMES)
    yield from _said(f"Intervals: {', '.join(low_high)}.")
    human = found.divided.whole.human
    if isinstance(human, dict) and human.get("n"):
        said = ", ".join(
            f"{name} {human[name]:.2f}" for name in NAMES if isinstance(human.get(name), int | float)
        )
        yield from _said(f"People against gold, as the release has it: {said}.")
    yield from _unknown(found.divided)
    yield from _spreads(found, "correlation")


def _ranking_row(name: str, part: Part) -> tuple[str, ...]:
    values = (getattr(part.averages, metric) for metric in NAMES)
    numbers = (NOTHING if value is None else f"{value:.2f}" for value in values)
    return name, f"{part.averages.n:,}", f"{part.unanswered:,}", *numbers


def _ends(part: Part, name: str) -> str:
    interval = part.intervals[name]
    if interval.low is None or interval.high is None:
        return NOTHING
    return f"{interval.low:.1f} to {interval.high:.1f}"


# --- two models ------------------------------------------------------------------------------------------


def _against(found: Divided[Compared], what: str) -> Iterator[str]:
    yield f"Difference of {what}, the first less the second, times 100:"
    rows = [_against_row(name, part) for name, part in _parts(found)]
    header = ("", "difference", "95 %", "p", "Holm", "only first", "only second", "McNemar p")
    yield from table.lines(header, rows, right=range(1, len(header)))


def _against_row(name: str, part: Compared) -> tuple[str, ...]:
    found = part.found
    return (
        name,
        _hundredths(found.difference.value),
        _interval(found.difference.low, found.difference.high),
        _p(found.p.p),
        _p(part.p_holm),
        f"{found.only_first:,}",
        f"{found.only_second:,}",
        _p(found.mcnemar.p),
    )


# --- parts -----------------------------------------------------------------------------------------------


def _parts(found: Divided[P]) -> Iterator[tuple[str, P]]:
    """All, genres and languages, and genres within languages where there are several of both."""
    yield "all", found.whole
    several = all(len(found.parts[axis]) > 1 for axis in (GENRES, LANGUAGES))
    for axis in (GENRES, LANGUAGES, *([STRATA] if several else [])):
        for key, part in found.parts[axis].items():
            yield table.shortened(key, WIDEST_NAME), part


def _unknown(found: Divided[OfPairs] | Divided[OfOrders]) -> Iterator[str]:
    if found.unknown[GENRES]:
        yield f"Without a known genre: {found.unknown[GENRES]:,}. --responses FILE can say it."


def _spreads(found: Results[OfPairs] | Results[OfOrders], what: str) -> Iterator[str]:
    languages = found.by_language if len(found.by_language) > 1 else {}
    for key, over in (("", found.spread), *languages.items()):
        if over.sd is not None and over.by_sampling is not None and over.by_sampling_of_prompts is not None:
            of = f" of {printable(key)}" if key else ""
            yield from _said(
                f"SD of {what} over {over.genres} genres{of}: {100 * over.sd:.1f}; by sampling alone "
                f"{100 * over.by_sampling_of_prompts:.1f} (prompts kept whole), "
                f"{100 * over.by_sampling:.1f} (as if independent); p {_p(over.p)}."
            )


def _hundredths(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:.1f}"


def _interval(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"


def _with_interval(rate: object) -> str:
    value, low, high = (getattr(rate, name) for name in ("value", "low", "high"))
    return f"{_hundredths(value)} ({_interval(low, high)})"


def _p(value: float | None) -> str:
    if value is None:
        return NOTHING
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
