"""Agreement of the file and of its parts, such as the units of a genre: alpha and, if asked for, all the measures."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.domain import agreement
from curation.management.agreement_of_files import measures, rows
from curation.management.agreement_of_files.measures import Measures
from curation.management.agreement_of_files.rows import Bootstrap
from curation.management.agreement_of_files.scales import Scale
from curation.management.agreement_of_files.scores import Scores

FEWEST = 30  # units under which a number is not to be read much into


@dataclass(frozen=True, slots=True)
class Part:
    """`n_pairable_units` are those with two values or more, which alpha is computed on.

    `measures` is None where alpha alone was asked for.
    """

    report: agreement.Report
    n_pairable_units: int
    measures: Measures | None

    @property
    def too_few(self) -> bool:
        return self.n_pairable_units < FEWEST

    @property
    def lacks_interval(self) -> bool:
        """Whether alpha is defined, but nothing could be drawn to say how sure it is."""
        return any(a.value is not None and a.low is None for a in self.report.alpha.values())

    def as_dict(self) -> dict[str, object]:
        """With `coefficients` only where they were asked for."""
        found = self.report.as_dict()
        if self.measures is not None:
            found |= {"n_pairable_units": self.n_pairable_units, "coefficients": self.measures.as_dict()}
        return found

    def as_group(self) -> dict[str, object]:
        """The same beside other parts, with how many units it rests on."""
        return self.as_dict() | {"n_pairable_units": self.n_pairable_units, "too_few": self.too_few}


@dataclass(frozen=True, slots=True)
class Found:
    """Of the whole file and of its groups by name, told apart by the column `by`; `scale` of all coefficients."""

    whole: Part
    by: str | None
    groups: dict[str, Part]
    scale: Scale | None

    def as_dict(self) -> dict[str, object]:
        """Keys that were not asked for are not there."""
        found = self.whole.as_dict()
        if self.scale is not None:
            found["scale"] = self.scale.as_dict()
        if self.by is not None:
            groups = {name: part.as_group() for name, part in self.groups.items()}
            found["by"] = {"column": self.by, "groups": groups}
        return found


def of_file(
    scores: Scores, scale: Scale | None, *, by: str | None, levels: Sequence[str], bootstrap: Bootstrap
) -> Found:
    """All measures where a scale was asked for, though there may be none; alpha alone where it is None."""
    whole = _part(scores, scale, levels, bootstrap)
    groups = {name: _part(group, scale, levels, bootstrap) for name, group in scores.by_group().items()}
    return Found(whole, by, groups, scale)


def _part(scores: Scores, scale: Scale | None, levels: Sequence[str], bootstrap: Bootstrap) -> Part:
    report = agreement.report(
        scores.units,
        scores.annotators,
        scores.numbers_or_labels(),
        clusters=scores.clusters(),
        levels=levels,
        replicates=bootstrap.replicates,
        seed=bootstrap.seed,
    )
    asked = None if scale is None else measures.measured(scores, scale, levels=levels, bootstrap=bootstrap)
    return Part(report, rows.of_scores(scores).n_pairable_units, asked)
