"""What a project says it records of people, in versions, and that somebody agreed to one."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain import markdown
from annotation.domain.rubrics import LANGUAGES
from annotation.errors import DomainError, Invalid
from annotation.models import Consent, ConsentText, Project, User
from annotation.queries import consent as queries
from annotation.services import journal


def add_shipped(project: Project, *, by: User | None, now: datetime) -> None:
    """Version 1, as it ships; a lead makes it the project's own."""
    _store(project, 1, queries.shipped_bodies(), by=by, now=now)


@transaction.atomic
def save(
    project: Project, bodies: Mapping[str, str], *, based_on: int, by: User | None, now: datetime
) -> int:
    """The next version and its number. `bodies` by language; `based_on` is the version that was edited."""
    written = {language: bodies.get(language, "").strip() for language in LANGUAGES}
    for language, body in written.items():
        if not body:
            raise Invalid(f"no_text_{language}", _("Write the text in both languages."))
        if markdown.fault(body):
            raise Invalid(
                f"bad_text_{language}", _("This text is too long or too deeply nested. Shorten it.")
            )
    if queries.current_version(project) != based_on:
        raise _outdated()
    if based_on and written == queries.bodies(project):
        raise Invalid("unchanged", _("Nothing was changed, so there is no new version to save."))
    try:
        with transaction.atomic():
            _store(project, based_on + 1, written, by=by, now=now)
    except IntegrityError as error:
        raise _outdated() from error
    journal.record("consent.saved", by=by, at=now, project=project, version=based_on + 1)
    return based_on + 1


@transaction.atomic
def agree(project: Project, user: User, *, version: int, now: datetime) -> None:
    """Only the newest text can be agreed to; a second time changes nothing."""
    newest = queries.current_version(project)
    if not version:
        raise Invalid("consent_needed", _("Agree to what is recorded, or decline."))
    if version != newest:
        raise DomainError(
            "consent_changed", _("The text has a newer version by now. Read it and agree to that one.")
        )
    Consent.objects.bulk_create(
        [Consent(user=user, project=project, version=version, at=now)], ignore_conflicts=True
    )


def _store(
    project: Project, version: int, bodies: Mapping[str, str], *, by: User | None, now: datetime
) -> None:
    ConsentText.objects.bulk_create(
        ConsentText(
            project=project, version=version, language=language, body=body, created_by=by, created_at=now
        )
        for language, body in bodies.items()
    )


def _outdated() -> DomainError:
    return DomainError(
        "consent_outdated",
        _(
            "Somebody else saved a version since you began. What you wrote is kept below, and is not saved yet."
        ),
    )
