"""The numbers of a closed calibration, read from its rows and put so that a page can show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import CalibrationResult, GateStatistic, Membership, Round, Stage
from annotation.queries import calibration

FEW = 30  # texts below which a number says little
ICC_FORMS = ("ICC2", "ICC2k", "ICC1", "ICC1k", "ICC3", "ICC3k")


@dataclass(frozen=True, slots=True)
class Number:
    """`reason` says in a sentence why the value is None."""

    value: float | None
    low: float | None
    high: float | None
    reason: str

    @property
    def shown(self) -> str:
        return two_decimals(self.value)

    @property
    def low_shown(self) -> str:
        return two_decimals(self.low)

    @property
    def high_shown(self) -> str:
        return two_decimals(self.high)

    @property
    def size(self) -> float:
        """Without its sign."""
        return abs(self.value or 0.0)

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def two_decimals(value: float | None) -> str:
    """With the minus sign of the pages of the exam."""
    if value is None:
        return "–"
    shown = f"{value:.2f}"
    return "0.00" if shown == "-0.00" else shown.replace("-", "−")


@dataclass(frozen=True, slots=True)
class IccLine:
    form: str
    meaning: str
    number: Number


@dataclass(frozen=True, slots=True)
class GroupResult:
    alpha: Number
    icc: tuple[IccLine, ...]
    icc_texts: int
    texts: int
    annotators: int


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What an annotator is told of themselves."""

    n: int
    alpha: Number
    severity: Number
    use: tuple[int, ...]  # how often each score from 0 on was given

    @property
    def is_few(self) -> bool:
        return self.n < FEW

    @property
    def use_in_words(self) -> str:
        """'0 (2 times)' and so on, with what was never given."""
        parts = [
            ngettext("%(score)d (%(times)d time)", "%(score)d (%(times)d times)", times)
            % {"score": score, "times": times}
            if times
            else _("%(score)d (never)") % {"score": score}
            for score, times in enumerate(self.use)
        ]
        return _(", ").join(parts)


@dataclass(frozen=True, slots=True)
class PersonResult:
    """What a lead sees of an annotator."""

    annotator: Membership
    letter: str
    own: OwnResult
    kappa: Number
    without: Number
    gate_value: float | None
    gate_met: bool
    before: OwnResult | None  # in the first round, where this is the second
    stage_name: str
    waits: bool  # for the outcome of this calibration, whose gate opens or does not
    would_pass: bool  # with everybody else who met the gate
    record: int | None  # primary key of the qualification


@dataclass(frozen=True, slots=True)
class Gate:
    """What was asked at the close."""

    name: str
    threshold: str


def group_result(work: Round) -> GroupResult | None:
    """None where the round is not closed."""
    row = work.calibration_results.filter(annotator=None).first()
    if row is None:
        return None
    found = row.numbers
    meanings = _icc_meanings()
    return GroupResult(
        alpha=_number(found["alpha"]),
        icc=tuple(IccLine(form, meanings[form], _number(found["icc"][form])) for form in ICC_FORMS),
        icc_texts=found["icc_texts"],
        texts=found["n_texts"],
        annotators=found["n_annotators"],
    )


def own_result(member: Membership, work: Round) -> OwnResult | None:
    """None where the annotator scored nothing, or the round is not closed."""
    row = work.calibration_results.filter(annotator=member).first()
    return _own(row.numbers) if row else None


def people_results(work: Round) -> list[PersonResult]:
    """The most severe first; those without a number last."""
    letters = calibration.letters(work)
    first = work.follows
    earlier = first.calibration_results.filter(annotator__isnull=False) if first else []
    before = {row.annotator_id: _own(row.numbers) for row in earlier}
    rows = work.calibration_results.filter(annotator__isnull=False).select_related(
        "annotator__user", "annotator__project"
    )
    again = calibration.asked_since(work)
    found = [_person(row, letters, before, again, work) for row in rows.order_by("annotator__pseudonym")]
    return sorted(found, key=lambda each: (each.own.severity.value is None, each.own.severity.value or 0))


def gate_of(work: Round) -> Gate | None:
    """As it stood at the close; None where nobody was measured."""
    row = work.calibration_results.filter(annotator__isnull=False).first()
    if row is None:
        return None
    gate = row.numbers["gate"]
    return Gate(str(GateStatistic(gate["statistic"]).label), gate["threshold"])


def _person(
    row: CalibrationResult,
    letters: Mapping[int, str],
    before: Mapping[int, OwnResult],
    again: set[int],
    work: Round,
) -> PersonResult:
    found = row.numbers
    held = calibration.qualification(row.annotator, work.language)
    waits = held is not None and held.stage == Stage.CALIBRATION and row.annotator_id not in again
    is_member = row.annotator.state == Membership.State.ACTIVE
    return PersonResult(
        annotator=row.annotator,
        letter=letters.get(row.annotator_id, "–"),
        own=_own(found),
        kappa=Number(found["kappa"], None, None, _reason(found["kappa_reason"])),
        without=_number(found["without"]),
        gate_value=found["gate"]["value"],
        gate_met=found["gate"]["met"],
        before=before.get(row.annotator_id),
        stage_name=held.get_stage_display() if held else "–",
        waits=waits,
        would_pass=waits and is_member and found["gate"]["met"] and held.since <= work.locked_at,
        record=held.pk if held else None,
    )


def _own(found: Mapping) -> OwnResult:
    return OwnResult(found["n"], _number(found["alpha"]), _number(found["severity"]), tuple(found["use"]))


def _number(found: Mapping) -> Number:
    return Number(found["value"], found["low"], found["high"], _reason(found["reason"]))


def _reason(key: str | None) -> str:
    return {
        "empty": _("Nothing was scored."),
        "nothing_shared": _("No text was scored by somebody else too."),
        "no_pairable_values": _("No text has two scores."),
        "no_variation": _("All scores are the same."),
        "fewer_than_two_units": _("Fewer than two texts were scored by everybody."),
        "fewer_than_two_annotators": _("Fewer than two annotators scored."),
        "missing_values": _("Some scores are missing."),
        "negative_variance": _("The scores vary too little for it."),
    }.get(key or "", "")


def _icc_meanings() -> dict[str, str]:
    return {
        "ICC1": _("one score, annotators taken as chance for each text"),
        "ICC1k": _("mean of all, annotators taken as chance for each text"),
        "ICC2": _("one score of a panel, severity counts"),
        "ICC2k": _("mean of the panel, severity counts"),
        "ICC3": _("one score of this very panel, severity does not count"),
        "ICC3k": _("mean of this very panel, severity does not count"),
    }
