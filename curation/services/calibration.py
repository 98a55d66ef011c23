"""The close of a calibration: curation measures, annotation keeps the state and the numbers.

Numbers of the group:

    alpha        value, low, high, undefined, reason: Krippendorff's, ordinal
    icc          by form (ICC1 to ICC3k), over the texts that everybody scored: value, low, high, reason
    icc_texts    how many texts those are
    n_texts, n_annotators, n_scores

Numbers of an annotator: those of against_rest.Standing, and `gate`: statistic, threshold, value, met.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from annotation.models import Membership, Response, Round, Score, User
from annotation.queries import stages
from annotation.services import calibration
from annotation.services.calibration import Results
from curation.domain import against_rest, icc
from curation.domain.against_rest import Judgement


def close(work: Round, *, reason: str = "", by: User | None, now: datetime) -> None:
    """Close the round with the numbers of what has been scored until then."""
    calibration.close(work, measure, reason=reason, by=by, now=now)


def measure(work: Round) -> Results:
    """The numbers of the round's counted scores of texts that stand. Annotators without any have none, nor have those
    whose data were withdrawn."""
    judgements = _judgements(work)
    settings = stages.settings_of(work.project)
    threshold = Decimal(settings.gate_threshold)  # a default that was never stored is still written out
    report = against_rest.group(judgements)
    table = _complete(judgements)
    return Results(
        group={
            "alpha": report.alpha["ordinal"].as_dict(),
            "icc": {form: each.as_dict() for form, each in icc.coefficients(table).items()},
            "icc_texts": len(table),
            "n_texts": report.n_units,
            "n_annotators": report.n_raters,
            "n_scores": len(judgements),
        },
        people={
            int(annotator): {
                **standing.as_dict(),
                "gate": against_rest.gate(
                    standing, statistic=settings.gate_statistic, threshold=threshold
                ).as_dict(),
            }
            for annotator, standing in against_rest.standings(judgements).items()
        },
    )


def _judgements(work: Round) -> list[Judgement]:
    counted = work.scores.filter(
        revision=1, standing=Score.Standing.COUNTED, response__state=Response.State.ACTIVE
    ).exclude(annotator__state=Membership.State.WITHDRAWN)
    rows = counted.order_by("pk").values_list("response", "response__prompt", "annotator", "value")
    return [
        Judgement(str(response), str(prompt), str(annotator), value)
        for response, prompt, annotator, value in rows
    ]


def _complete(judgements: Sequence[Judgement]) -> list[list[float]]:
    """A row for each text that everybody scored, a column for each annotator."""
    scores: dict[str, dict[str, int]] = defaultdict(dict)
    for each in judgements:
        scores[each.response][each.annotator] = each.score
    names = sorted({each.annotator for each in judgements})
    return [[float(of[name]) for name in names] for of in scores.values() if len(of) == len(names)]
