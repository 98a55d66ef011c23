"""A blueprint is sent to a model, which writes the prompt that somebody may take over."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.reach import primary
from annotation.errors import DomainError
from annotation.models import User
from annotation.queries.rubrics import name_of
from authoring.domain import expansion
from authoring.models import AuthoredPrompt, Endpoint, Plan
from authoring.queries import expansions
from authoring.services import plans, prompts


@transaction.atomic
def ask(authored: AuthoredPrompt, endpoint: Endpoint, *, by: User, now: datetime) -> Plan:
    """The plan of one request, which is for a worker to send. One at a time is under way for a prompt."""
    held = prompts.hold(authored)
    prompts.refuse_closed(held)
    newest = expansions.newest(held)
    if newest is not None and expansions.is_under_way(newest):
        raise DomainError("under_way", _("A model is writing this prompt already. Wait for its answer."))
    return plans.ask_once(
        held.project,
        kind=Plan.Kind.EXPANSION,
        endpoint=endpoint,
        asked=expansion.asked(_blueprint(held)),
        authored=held,
        by=by,
        now=now,
    )


def _blueprint(authored: AuthoredPrompt) -> expansion.Blueprint:
    language = "zh" if primary(authored.language) == "zh" else "en"
    return expansion.Blueprint(
        text=authored.blueprint,
        genre=name_of(authored.genre, language) if authored.genre else "",
        language=authored.language,
        constraints=authored.constraints,
        length=authored.intended_length,
    )
