"""A submission held against its release by a worker, and two of them against each other."""

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.records import InputError
from annotation.errors import DomainError
from annotation.services import jobs
from curation.domain.evaluation import report
from curation.domain.evaluation.benchmark import Benchmark
from curation.domain.evaluation.parts import GENRES, LANGUAGES, STRATA
from curation.domain.evaluation.predictions import Given, Predictions
from curation.domain.release.rows import open_id
from curation.domain.release.splits import HELDOUT, TEST
from curation.domain.version import VERSION
from curation.models import Comparison, Release, Submission
from curation.services import evaluations, objects, submissions, verification
from curation.services.evaluations import UnusableError

Clock = Callable[[], datetime]
Json = dict[str, Any]

SPLITS = (TEST, HELDOUT)
NOT_ANSWERED, NO_SUCH_SPLIT = "not_answered", "no_such_split"


def execute(pk: int, *, clock: Clock) -> None:
    """Score the submission if it is to be had; otherwise somebody else does, or has done."""
    submission = jobs.claim(Submission, pk, now=clock())
    if submission is None:
        return
    with jobs.outcome(submission, clock=clock), jobs.heartbeat(submission, clock=clock):
        result = _result(submission)
        with transaction.atomic():
            jobs.finish(
                submission, now=clock(), code_version=VERSION, result=result, summary=summary_of(result)
            )


def compare(pk: int, *, clock: Clock) -> None:
    """As execute, of a comparison."""
    comparison = jobs.claim(Comparison, pk, now=clock())
    if comparison is None:
        return
    with jobs.outcome(comparison, clock=clock), jobs.heartbeat(comparison, clock=clock):
        result = _compared(comparison)
        with transaction.atomic():
            jobs.finish(comparison, now=clock(), result=result)


# --- the release -----------------------------------------------------------------------------------------


def benchmark_of(release: Release) -> dict[str, Benchmark]:
    """What each split of a frozen release asks, `test` and where there is one `heldout`, from its own files."""
    files = {file.path: file.sha256 for file in release.files.all() if _is_asked(file.path)}
    try:
        with objects.laid_out(files) as folder:
            _refuse_damaged(folder, files)
            return {
                split: evaluations.read_release(folder, split=split)
                for split in SPLITS
                if split == TEST or evaluations.PAIRS_OF.format(split=split) in files
            }
    except FileNotFoundError as error:
        raise DomainError("release_file_gone", _("A file of this release is no longer there.")) from error
    except UnusableError as error:
        raise DomainError("release_unusable", str(error)) from error


def _is_asked(path: str) -> bool:
    of_splits = (evaluations.PAIRS_OF, evaluations.JUDGEMENTS_OF)
    asked = {each.format(split=split) for each in of_splits for split in SPLITS}
    others = (verification.MANIFEST, evaluations.AGREEMENT, evaluations.RANKINGS, evaluations.RESPONSES)
    return path in asked.union(others)


def _refuse_damaged(folder: Path, files: Mapping[str, str]) -> None:
    for path, sha256 in files.items():
        with (folder / path).open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != sha256:
                message = _("The file %(path)s of this release is damaged.") % {"path": path}
                raise DomainError("release_damaged", message)


# --- a submission ----------------------------------------------------------------------------------------


def _result(submission: Submission) -> Json:
    benchmarks, given = benchmark_of(submission.release), _predictions(submission)
    try:
        found = {split: _of_split(split, benchmarks, given) for split in benchmarks}
    except InputError as error:
        raise submissions.unreadable(_nameless(error)) from error
    return {
        "form": given.form,
        "rows": given.given.rows,
        "splits": {split: part for split, part in found.items() if part is not None},
        "reasons": {split: _reason(split, found) for split in SPLITS},
    }


def _reason(split: str, found: Mapping[str, Json | None]) -> str | None:
    """Why there is nothing to be said of the split."""
    if split not in found:
        return NO_SUCH_SPLIT
    return NOT_ANSWERED if found[split] is None else None


def _nameless(error: InputError) -> InputError:
    """The file has no name of its own here."""
    return InputError(error.reason, line=error.line, column=error.column)


def _predictions(submission: Submission) -> Predictions:
    try:
        return submissions.read(gzip.decompress(bytes(submission.content)))
    except InputError as error:
        raise submissions.unreadable(error) from error


def _of_split(split: str, benchmarks: Mapping[str, Benchmark], given: Predictions) -> Json | None:
    """None where nothing is said of what is held out. Of that only the whole is said: a part of few pairs, and the id
    of a pair, would say which text is chosen."""
    if split == TEST:
        others = set().union(*(_names(each) for name, each in benchmarks.items() if name != split))
        asked = _only(given, lambda name: name not in others) if others else given
        return report.report(benchmarks[split], asked).as_dict()
    own = _names(benchmarks[split])
    asked = _only(given, lambda name: name in own)
    if not asked.given.lines or not benchmarks[split].rows:
        return None
    found: Json = report.report(benchmarks[split], asked).as_dict()
    if found["pairs"] is None:
        return None
    found["predictions"]["problems"]["listed"] = []
    found["pairs"] |= {axis: [] for axis in (GENRES, LANGUAGES, STRATA)} | {"spread_by_language": []}
    return {**found, "rankings": None}


def _names(benchmark: Benchmark) -> set[str]:
    """By what a file may call what the benchmark asks: responses, prompts and pairs, these either way round."""
    names = set(benchmark.held())
    for row in benchmark.rows:
        either = (
            f"{row.prompt_id}:{row.chosen}:{row.rejected}",
            f"{row.prompt_id}:{row.rejected}:{row.chosen}",
        )
        names.update((row.id, row.chosen, row.rejected, row.prompt_id, *either))
        names.add(open_id(row.prompt_id, row.chosen, row.rejected))
    return names


def _only(predictions: Predictions, keeps: Callable[[str], bool]) -> Predictions:
    given = predictions.given
    kept: Given[Any] = Given(given.form, rows=given.rows)
    kept.values = {key: value for key, value in given.values.items() if keeps(key[0])}
    kept.lines = {key: line for key, line in given.lines.items() if keeps(key[0])}
    kept.problems = [problem for problem in given.problems if keeps(problem.id)]
    return replace(predictions, given=kept)


def summary_of(result: Json) -> Json:
    """The line of a leaderboard; parts that there are not are null."""
    test, heldout = (_overall(result["splits"].get(split), "pairs") for split in SPLITS)
    ranked = _overall(result["splits"].get(TEST), "rankings")
    return {
        "form": result["form"],
        "accuracy": test and test["accuracy"],
        "pairs": test and test["pairs"],
        "prompts": test and test["prompts"],
        "few": test and test["few"],
        "ties": test and test["ties"],
        "unanswered": test and test["unanswered"],
        "consistent": test and test["position"]["consistent"],
        "heldout": heldout and heldout["accuracy"],
        "ceiling": test and test["ceiling"],
        "baselines": test and test["baselines"],
        "rankings": ranked,
        "problems": sum(sum(_problems(part).values()) for part in result["splits"].values()),
    }


def _overall(part: Json | None, what: str) -> Json | None:
    found = None if part is None else part[what]
    return None if found is None else found["overall"]


def _problems(part: Json) -> dict[str, int]:
    counts: dict[str, int] = part["predictions"]["problems"]["counts"]
    return counts


# --- two of them -----------------------------------------------------------------------------------------


def _compared(comparison: Comparison) -> Json:
    """On what is public of the release, over all of it and by part."""
    benchmarks = benchmark_of(comparison.first.release)
    one, other = (_shown(benchmarks, each) for each in _both(comparison))
    try:
        found = report.report(benchmarks[TEST], one, other=other).as_dict()
    except InputError as error:
        raise submissions.unreadable(_nameless(error)) from error
    against: Json = found["against"]
    return {"pairs": against["pairs"], "rankings": against["rankings"]}


def _both(comparison: Comparison) -> Iterator[Submission]:
    yield comparison.first
    yield comparison.second


def _shown(benchmarks: Mapping[str, Benchmark], submission: Submission) -> Predictions:
    given = _predictions(submission)
    others = set().union(*(_names(each) for name, each in benchmarks.items() if name != TEST))
    return _only(given, lambda name: name not in others)
