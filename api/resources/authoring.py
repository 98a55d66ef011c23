"""What came before the first score: prompts that were written here, with their reviews, and what models were asked."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from api.base import View
from api.resources import doors
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row
from authoring.models import AuthoredPrompt, ModelRequest, Plan, PromptVersion
from authoring.queries import plans, versions
from authoring.queries.plans import SourceLine
from authoring.queries.versions import VersionLine


class AuthoredPrompts(Filtered):
    """Prompts in the making, and those that came of it, as they are now."""

    filters = {
        "state": Filter("state", tuple(AuthoredPrompt.State.values)),
        "genre": Filter("genre__key"),
        "language": Filter("language"),
    }
    orders = {"created": "pk", "key": "key"}

    def get(self, request: Request, slug: str) -> Response:
        found = doors.written(self, slug).authored_prompts.select_related("genre", "author__user")
        found = found.select_related("parallel_to")
        return self.page(found, lambda each: _line(request, slug, each), order="created")


class OneAuthoredPrompt(View):
    """A prompt with every version that was handed in, who reviewed it, and what they said. As on its page, what others
    say of a version that is in review is not there for whoever has not reviewed it."""

    def get(self, request: Request, slug: str, key: str) -> Response:
        found = doors.authored(self, slug, key)
        rows = {row.number: row for row in found.versions.all()}
        lines = versions.history(found, request.user)
        told = [_version(rows[line.number], line) for line in reversed(lines)]
        return Response({**_line(request, slug, found), "versions": told})


class Plans(Filtered):
    """What models were asked, and what it cost."""

    filters = {
        "state": Filter("state", tuple(Plan.State.values)),
        "kind": Filter("kind", tuple(Plan.Kind.values)),
    }
    orders = {"created": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        found = doors.led(self, slug).plans.all()
        return self.page(found, lambda each: _plan_line(request, slug, each), order="created")


class OnePlan(View):
    """A plan, with how far it is and what has been spent, by source."""

    def get(self, request: Request, slug: str, pk: int) -> Response:
        plan = doors.plan(doors.led(self, slug), pk)
        page = plans.plan_page(plan, now=timezone.now())
        return Response(
            {
                **_plan_line(request, slug, plan),
                "samples": plan.samples,
                "temperature": str(plan.temperature),
                "max_tokens": plan.max_tokens,
                "instruction": plan.instruction,
                "seed": plan.seed,
                "spent": {currency: str(amount) for currency, amount in page.spent.items()},
                "sources": [_source(each) for each in page.sources],
            }
        )


class Requests(Filtered):
    """Each request of a plan: what was asked, and how it went."""

    filters = {
        "state": Filter("state", tuple(ModelRequest.State.values)),
        "model": Filter("source__public_name"),
        "prompt": Filter("prompt__external_id"),
        "response": Filter("response__external_id"),
    }
    orders = {"created": "pk"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        found = doors.plan(doors.led(self, slug), pk).requests
        found = found.select_related("source", "prompt", "authored", "response").prefetch_related("kept")
        return self.page(found, _request, order="created")


def _line(request: Request, slug: str, found: AuthoredPrompt) -> Row:
    return {
        "key": found.key,
        "url": address(request, "api_authored_prompt", slug, found.key),
        "state": found.state,
        "language": found.language,
        "genre": found.genre.key if found.genre else None,
        "blueprint": found.blueprint,
        "constraints": found.constraints,
        "intended_length": found.intended_length,
        "title": found.title,
        "text": found.text,
        "author": found.author.user.username,
        "parallel_to": found.parallel_to.key if found.parallel_to else None,
        "created_at": found.created_at,
        "changed_at": found.changed_at,
    }


def _version(found: PromptVersion, line: VersionLine) -> Row:
    return {
        "number": found.number,
        "title": found.title,
        "text": found.text,
        "blueprint": found.blueprint,
        "constraints": found.constraints,
        "intended_length": found.intended_length,
        "note": found.note,
        "author": line.author,
        "made_at": found.made_at,
        "expanded_by": line.model or None,
        "prompt": line.prompt or None,
        "reviews_hidden": line.hidden,
        "reviews": [
            {
                "reviewer": each.who,
                "accepts": each.accepts,
                **dict(each.looked_at),
                "reason": each.reason,
                "at": each.at,
            }
            for each in line.reviews
        ],
        "comments": [
            {"field": each.field, "text": each.text, "author": each.who, "at": each.at}
            for each in line.remarks
        ],
    }


def _plan_line(request: Request, slug: str, found: Plan) -> Row:
    return {
        "id": found.pk,
        "url": address(request, "api_plan", slug, found.pk),
        "name": found.name,
        "kind": found.kind,
        "state": found.state,
        "made_at": found.made_at,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
    }


def _source(found: SourceLine) -> Row:
    tally = found.tally
    counts = ("requests", "waiting", "running", "done", "failed", "cancelled", "tokens_in", "tokens_out")
    return {
        "name": found.name,
        "model": found.model,
        **{name: getattr(tally, name) for name in counts},
        "spent": str(found.spent),
        "currency": found.currency,
    }


def _request(found: ModelRequest) -> Row:
    return {
        "model": found.source.public_name,
        "prompt": found.prompt.external_id if found.prompt else None,
        "authored": found.authored.key if found.authored else None,
        "variant": found.variant,
        "kept": sorted(each.position for each in found.kept.all()),
        "sample": found.sample,
        "state": found.state,
        "asked": found.asked,
        "text": found.text,
        "finish_reason": found.finish_reason,
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        "latency_ms": found.latency_ms,
        "attempts": found.attempt,
        "error_kind": found.error_kind,
        "error": found.error,
        "response": found.response.external_id if found.response else None,
        "sent_at": found.sent_at,
        "ended_at": found.ended_at,
    }
