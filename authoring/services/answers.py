"""What becomes of an answer: it is kept as it came, once, and a response is made of it where one was asked for.

Nothing is dropped: what is empty, cut off, refused or an error is a response with a flag, for triage to decide on.
"""

from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.material import ResponseRow
from annotation.errors import DomainError
from annotation.models import Flag, Response, User
from annotation.services import intake_material, journal
from authoring.domain.chat import MEANINGS, Answer
from authoring.models import ModelRequest, Plan, RequestAttempt

State = ModelRequest.State
OF_RESPONSES = (Plan.Kind.RESPONSES, Plan.Kind.DROPOUT)


@transaction.atomic
def store(request_pk: int, answer: Answer, *, sent_at: datetime | None, now: datetime) -> bool:
    """Keep the answer to a request; False where it has one. What came too late for a pause or a cancellation counts:
    it was paid for. `sent_at` is None where the answer came in a batch file."""
    request = (
        ModelRequest.objects.select_for_update(of=("self",))
        .select_related("plan__project", "source", "prompt__genre")
        .get(pk=request_pk)
    )
    if request.state == State.DONE:
        return False
    sent = sent_at or request.sent_at
    number = request.attempt if request.state == State.RUNNING else request.attempt + 1
    RequestAttempt.objects.create(
        request=request, number=number, sent_at=sent or now, ended_at=now, status=200
    )
    ModelRequest.objects.filter(pk=request.pk).update(
        state=State.DONE,
        attempt=number,
        lease_until=None,
        claimed_by="",
        ended_at=now,
        sent_at=sent or now,
        text=answer.text,
        answer=dict(answer.raw),
        finish_reason=answer.finish_reason,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        latency_ms=max(0, round((now - sent).total_seconds() * 1000)) if sent_at else None,
        response=_response(request, answer, now=now) if request.plan.kind in OF_RESPONSES else None,
        error_kind="",
        error="",
    )
    return True


def _response(request: ModelRequest, answer: Answer, *, error: str = "", now: datetime) -> Response:
    """The response, with the flags that the checks of triage raise, as an import's would have."""
    row = _row(request, answer, error)
    response = Response.objects.create(
        project=request.plan.project,
        prompt=request.prompt,
        external_id=row.id,
        text=row.text,
        text_sha256=intake_material.digest(row.text),
        source_model=row.model,
        parameters=dict(row.parameters),
        source_place=f"{request.plan.name}"[:300],
        created_at=now,
    )
    response.kept_requirements.set(request.kept.all())
    Flag.objects.bulk_create(
        intake_material.flag_of(request.plan.project, finding, at=now, response=response)
        for finding in intake_material.findings(row)
    )
    return response


def _row(request: ModelRequest, answer: Answer, error: str) -> ResponseRow:
    plan, source, prompt = request.plan, request.source, request.prompt
    parameters: dict[str, object] = {
        **source.extra,
        "sample": request.sample,
        "temperature": float(plan.temperature),
        source.length_parameter: plan.max_tokens,
        "finish_reason": answer.finish_reason,
        "model": source.model,
    }
    if answer.model and answer.model != source.model:
        parameters["model_answered"] = answer.model
    if error:
        parameters["error"] = error
    return ResponseRow(
        id=name_of(request),
        prompt_id=prompt.external_id,
        text=answer.text,
        prompt=request.asked,
        language=prompt.language,
        model=source.public_name,
        parameters=parameters,
    )


def name_of(request: ModelRequest) -> str:
    """The id of the response: the same at every asking, and without a word about its source."""
    told = (request.plan.name, request.source.public_name, request.variant, request.sample)
    drawn = sha256(repr((request.plan.project.slug, request.prompt.external_id, *told)).encode()).hexdigest()
    return f"{request.prompt.external_id[:180]}-{drawn[:12]}"


@transaction.atomic
def hand_to_triage(plan: Plan, *, by: User | None, now: datetime) -> int:
    """Failed requests become empty responses with their error, which triage flags; returns how many."""
    failed = plan.requests.filter(state=State.FAILED).select_for_update(of=("self",))
    requests = list(failed.select_related("plan__project", "source", "prompt__genre").order_by("pk"))
    if not requests or plan.kind not in OF_RESPONSES:
        raise DomainError("nothing_failed", _("No request of this plan has failed."))
    for request in requests:
        said = request.error or str(MEANINGS.get(request.error_kind, request.error_kind))
        response = _response(request, Answer(text="", finish_reason=""), error=said, now=now)
        ModelRequest.objects.filter(pk=request.pk).update(state=State.DONE, response=response)
    journal.record(
        "plan.failed_to_triage",
        by=by,
        at=now,
        project=plan.project,
        plan=plan.pk,
        name=plan.name,
        n=len(requests),
    )
    return len(requests)
