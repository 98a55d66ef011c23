"""What two people say of a version, each alone, and what comes of it."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Membership, Prompt
from authoring import access
from authoring.domain import reviewing
from authoring.models import AcceptedVersion, AuthoredPrompt, FieldComment, PromptReview, PromptVersion
from authoring.queries import versions
from authoring.services import prompts

State = AuthoredPrompt.State
Verdict = PromptReview.Verdict


@transaction.atomic
def review(
    version: PromptVersion,
    reviewer: Membership,
    *,
    verdict: str,
    creative_intent: bool,
    difficulty: bool,
    granularity: bool,
    reason: str = "",
    now: datetime,
) -> PromptReview:
    """Say what one thinks of the latest version, once. Sent twice with one content it is one.

    The second person's review settles the version: accepted by both, it becomes a prompt of the material; else
    changes are asked. The row of the prompt is held meanwhile, so no third review gets in beside the second.
    """
    held = prompts.hold(version.authored)
    prompts.refuse_other_people(reviewer, held.project)
    access.writing_project(reviewer.user, held.project.slug)  # as the person stands now
    looked_at = {"creative_intent": creative_intent, "difficulty": difficulty, "granularity": granularity}
    given = {"verdict": verdict, **looked_at, "reason": reason.strip()}
    own = version.reviews.filter(reviewer__user=reviewer.user_id).first()
    if own is not None:
        return _same(own, given)
    _refuse_unreviewable(held, version)
    _refuse_unsaid(verdict, looked_at, reason)
    made = PromptReview.objects.create(version=version, reviewer=reviewer, at=now, **given)
    # Without the verdict: the journal must not tell it to who has not reviewed yet.
    prompts.record("authoring.reviewed", held, by=reviewer.user, now=now, version=version.number)
    _settle(held, version, reviewer, now=now)
    return made


@transaction.atomic
def comment(
    version: PromptVersion, *, field: str, text: str, author: Membership, now: datetime
) -> FieldComment:
    prompts.refuse_other_people(author, version.authored.project)
    if field not in FieldComment.Field.values:
        raise Invalid("not_a_field", _("Choose what the remark is about."))
    if not text.strip():
        raise Invalid("no_remark", _("Write the remark."))
    made = FieldComment.objects.create(version=version, field=field, text=text.strip(), author=author, at=now)
    prompts.record(
        "authoring.commented", version.authored, by=author.user, now=now, version=version.number, field=field
    )
    return made


def _settle(held: AuthoredPrompt, version: PromptVersion, last: Membership, *, now: datetime) -> None:
    verdicts = version.reviews.values_list("verdict", flat=True)
    state = reviewing.settled([verdict == Verdict.ACCEPT for verdict in verdicts])
    if state == State.IN_REVIEW:
        return
    prompts.pass_on(held, State(state), now=now)
    if state == State.CHANGES_ASKED:
        prompts.record("authoring.changes_asked", held, by=last.user, now=now, version=version.number)
        return
    prompt = _into_material(held, version, now=now)
    AcceptedVersion.objects.create(version=version, prompt=prompt, at=now)
    prompts.record(
        "authoring.accepted", held, by=last.user, now=now, version=version.number, prompt=prompt.pk
    )


def _into_material(held: AuthoredPrompt, version: PromptVersion, *, now: datetime) -> Prompt:
    """A prompt of the project with this text. An earlier version that is there already stays as it is."""
    is_first = not AcceptedVersion.objects.filter(version__authored=held).exists()
    for name in reviewing.prompt_ids(held.key, number=version.number, is_first=is_first):
        made = _prompt(held, version, name, now=now)
        if made is not None:
            return made
    raise DomainError(
        "no_free_id", _("Other prompts have every id that this one could get. Give it up and begin another.")
    )


def _prompt(held: AuthoredPrompt, version: PromptVersion, name: str, *, now: datetime) -> Prompt | None:
    """None where an import has brought a prompt of that id."""
    try:
        with transaction.atomic():
            return Prompt.objects.create(
                project=held.project,
                external_id=name,
                language=held.language,
                genre=held.genre,
                text=version.text,
                created_at=now,
            )
    except IntegrityError:
        return None


# --- Refusals ------------------------------------------------------------------------------------


def _same(own: PromptReview, given: dict[str, object]) -> PromptReview:
    if any(getattr(own, name) != value for name, value in given.items()):
        raise DomainError(
            "already_reviewed", _("You have reviewed this version already. Your first review stands.")
        )
    return own


def _refuse_unreviewable(held: AuthoredPrompt, version: PromptVersion) -> None:
    if version != versions.latest(held):
        raise DomainError("superseded", _("A newer version has been handed in. Review that one."))
    if held.state != State.IN_REVIEW:
        raise DomainError("not_in_review", _("This version is settled, and no further review is taken."))


def _refuse_unsaid(verdict: str, looked_at: dict[str, bool], reason: str) -> None:
    if verdict not in Verdict.values:
        raise Invalid("no_verdict", _("Accept the version, or ask for changes."))
    if verdict == Verdict.ACCEPT and not all(looked_at.values()):
        raise Invalid(
            "not_all_three", _("A version is accepted with all three ticked. Tick them, or ask for changes.")
        )
    if verdict == Verdict.CHANGES and not reason.strip():
        raise Invalid("no_reason", _("Write what should change, and why."))
