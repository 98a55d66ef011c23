"""Cases of adjudication: sent by rules, judged by an adjudicator alone, then decided with a reason.

Nothing that annotators gave is changed by it, and no case is decided twice.
"""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain.splits import Thresholds
from annotation.errors import DomainError, Invalid
from annotation.models import AdjudicationCase, CaseJudgement, Conflict, Membership, Round, User
from annotation.queries import adjudication as queries
from annotation.queries import splits
from annotation.services import journal, seals

Step = CaseJudgement.Step


@transaction.atomic
def send(work: Round, thresholds: Thresholds, *, by: User | None, now: datetime) -> int:
    """Make a case of each split that has none yet; gives how many. Sent again, it adds what has come up since."""
    seals.hold(work.project)
    if Round.objects.filter(pk=work.pk, state=Round.State.DRAFT).exists():
        raise DomainError("round_not_open", _("This round is a draft, so nobody has judged anything in it."))
    new = queries.without_case(work, splits.found(work, thresholds))
    AdjudicationCase.objects.bulk_create(
        AdjudicationCase(
            round=work,
            reason=split.reason,
            prompt_id=split.prompt,
            response_id=split.response,
            other_id=split.other,
            opened_at=now,
        )
        for split in new
    )
    if new:
        journal.record(
            "adjudication.sent", by=by, at=now, project=work.project, round=work.pk, cases=len(new)
        )
    return len(new)


def own(
    case: AdjudicationCase, adjudicator: Membership, *, choice: str, justification: str, now: datetime
) -> CaseJudgement:
    """Store what the adjudicator says before seeing what the others gave. Sent twice with one content it is one.

    `choice` is as the page sends it: a score, the key of a category, or "a", "b", "tie" as shown to the adjudicator.
    """
    return _judge(case, adjudicator, Step.OWN, choice=choice, words=justification, now=now)


def decide(
    case: AdjudicationCase, adjudicator: Membership, *, choice: str, reason: str, now: datetime
) -> CaseJudgement:
    """Store the one decision on the case, after a judgement of one's own."""
    if not reason.strip():
        raise Invalid("no_reason", _("Write why you decide so."))
    if queries.own_of(case, adjudicator) is None:
        raise DomainError(
            "own_first", _("Give your own judgement first; then you see the others' and decide.")
        )
    return _judge(case, adjudicator, Step.DECISION, choice=choice, words=reason, now=now)


def _judge(
    case: AdjudicationCase, adjudicator: Membership, step: Step, *, choice: str, words: str, now: datetime
) -> CaseJudgement:
    access.case(adjudicator.user, case.token)  # as the person stands now
    columns = _columns(case, adjudicator, choice)
    stored = _stored(case, adjudicator, step)
    if stored is None:
        try:
            stored = _store(case, adjudicator, step, columns, words=words, now=now)
        except IntegrityError:
            # The same form twice, or another adjudicator's decision, at this moment.
            stored = _stored(case, adjudicator, step)
    same = {**columns, "justification": words, "adjudicator_id": adjudicator.pk}
    if stored is None or any(getattr(stored, name) != value for name, value in same.items()):
        raise _refusal(step)
    return stored


def _refusal(step: Step) -> DomainError:
    if step == Step.DECISION:
        return DomainError(
            "already_decided", _("This case has been decided already. The first decision stands.")
        )
    return DomainError(
        "already_judged", _("You have given your own judgement on this case already. The first one stands.")
    )


def _stored(case: AdjudicationCase, adjudicator: Membership, step: Step) -> CaseJudgement | None:
    if step == Step.OWN:
        return queries.own_of(case, adjudicator)
    return queries.decision_of(case)


@transaction.atomic
def _store(
    case: AdjudicationCase,
    adjudicator: Membership,
    step: Step,
    columns: dict[str, object],
    *,
    words: str,
    now: datetime,
) -> CaseJudgement:
    stored = CaseJudgement.objects.create(
        case=case, adjudicator=adjudicator, step=step, justification=words, at=now, **columns
    )
    _keep_from_annotating(case, adjudicator, now=now)
    journal.record(
        "case.decided" if step == Step.DECISION else "case.judged",
        by=adjudicator.user,
        at=now,
        project=case.round.project,
        case=case.pk,
        round=case.round_id,
    )
    return stored


def _keep_from_annotating(case: AdjudicationCase, adjudicator: Membership, *, now: datetime) -> None:
    """Who sees what others gave on a prompt is given no text of it any more, in whichever round."""
    annotator = Membership.objects.filter(
        project=adjudicator.project_id, user=adjudicator.user_id, role=Membership.Role.ANNOTATOR
    ).first()
    if annotator is not None:
        Conflict.objects.get_or_create(annotator=annotator, prompt_id=case.prompt_id, defaults={"at": now})


def _columns(case: AdjudicationCase, adjudicator: Membership, choice: str) -> dict[str, object]:
    """The choice as it is stored: in one of three columns, and sides by which response is the older."""
    if choice not in {option.value for option in queries.options_of(case, language="en")}:
        raise Invalid("not_a_choice", queries.ask_of(case))
    blank: dict[str, object] = {"value": None, "preferred": "", "category_id": None}
    if case.other_id is not None:
        return {**blank, "preferred": queries.turned(case, adjudicator, choice)}
    if case.response_id is not None:
        return {**blank, "value": int(choice)}
    category = case.round.project.genres.get(parent=None, key=choice)
    return {**blank, "category_id": category.pk}
