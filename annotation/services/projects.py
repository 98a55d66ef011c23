"""Making a project, and changing its settings: which are free, and which would break finished work."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.domain import names, shipped
from annotation.errors import DomainError, Invalid
from annotation.models import Membership, Project, User
from annotation.queries import projects as queries
from annotation.services import consent, genres, journal, membership, rubrics
from annotation.services.refusals import FieldsRefused, Outdated, digest

LONGEST_SLUG = 60
RESERVED = {"new"}  # projects/new/ is the page that makes one

# What the settings page changes. The short name stands in addresses and in names of accounts, so it stays; how
# many annotators and who they are is taken over by each round when it is made.
SETTINGS = (
    "name",
    "languages",
    "annotators_per_response",
    "assigning",
    "criterion_marks",
    "ties_allowed",
    "justification_minimum",
    "time_zone",
    "hourly_rate",
    "currency",
    "words_per_minute",
    "characters_per_minute",
    "alpha_acceptable",
    "alpha_good",
    "near_duplicate_percent",
)


@transaction.atomic
def create(
    slug: str,
    *,
    name: str,
    taxonomy: str,
    by: User | None,
    now: datetime,
    languages: Sequence[str] = (),
    lead: User | None = None,
) -> Project:
    """A project with a shipped taxonomy ("" for none: its own is to be written) and the shipped rubric."""
    if slug in RESERVED:
        raise Invalid("slug_reserved", _("The short name %(slug)s is in use by a page.") % {"slug": slug})
    columns = {"name": name, "languages": list(languages), "taxonomy": taxonomy, "created_at": now}
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, **columns)
    except IntegrityError as error:
        message = _("There is a project %(slug)s already. Choose another short name.") % {"slug": slug}
        raise DomainError("slug_taken", message) from error
    macros = genres.add_shipped(project, shipped.taxonomy(taxonomy)) if taxonomy else {}
    rubrics.add_shipped(project, macros, shipped.rubric(), by=by, now=now)
    consent.add_shipped(project, by=by, now=now)
    journal.record("project.created", by=by, at=now, project=project, taxonomy=taxonomy)
    if lead is not None:
        membership.add(project, lead, role=Membership.Role.LEAD, by=by, now=now)
    return project


def free_slug(name: str) -> str:
    """A short name from the name; project-1 and so on where it has no letters for one."""
    wished = slugify(name)[:LONGEST_SLUG].strip("-_")
    shortened = wished[: LONGEST_SLUG - 5] or "project"
    candidates = [wished] if wished and wished not in RESERVED else []
    following = (f"{shortened}-{number}" for number in count(2 if wished else 1))
    taken = set(Project.objects.filter(slug__startswith=shortened).values_list("slug", flat=True))
    return next(slug for slugs in (candidates, following) for slug in slugs if slug not in taken)


def values(project: Project) -> dict[str, object]:
    return {field: getattr(project, field) for field in SETTINGS}


def version(project: Project) -> str:
    """The mark of the settings as `project` has them."""
    return digest(values(project))


@transaction.atomic
def change(
    project: Project, given: Mapping[str, object], *, version: str, by: User | None, now: datetime
) -> dict[str, list[object]]:
    """Store the settings that differ, and return [old, new] of each.

    `version` marks the settings that the form showed. Outdated where others were stored since then;
    FieldsRefused where a change would break finished work.
    """
    current = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    before = values(current)
    changes = {field: [before[field], given[field]] for field in SETTINGS if given[field] != before[field]}
    if not changes:
        return {}
    if version != digest(before):
        raise Outdated(
            "settings_changed",
            _(
                "Somebody else changed the settings since you opened the page. What you chose is kept below, "
                "with what stands now beside it; look at it and save again."
            ),
            now={field: old for field, (old, _new) in changes.items()},
            version=digest(before),
        )
    reasons = reasons_against(current, {field: new for field, (_old, new) in changes.items()})
    if reasons:
        raise FieldsRefused("settings_refused", reasons)
    Project.objects.filter(pk=project.pk).update(**{field: new for field, (_old, new) in changes.items()})
    entry = {field: [_plain(old), _plain(new)] for field, (old, new) in changes.items()}
    journal.record("project.changed", by=by, at=now, project=current, **entry)
    return changes


def reasons_against(project: Project, changes: Mapping[str, object]) -> dict[str, str]:
    """By setting, why it cannot become what `changes` says now; {} where nothing stands against it."""
    work = queries.work_of(project)
    reasons = {}
    if "criterion_marks" in changes:
        reasons["criterion_marks"] = reason_to_keep_marks(work)
    if "languages" in changes:
        reasons["languages"] = _lost_languages(work, project.languages, changes["languages"])
    return {field: reason for field, reason in reasons.items() if reason}


def reason_to_keep_marks(work: queries.Work) -> str:
    """Why marks for criteria can be switched neither on nor off now; "" where they can."""
    if not work.live_under_way:
        return ""
    return _(
        "This cannot be changed while a live round is under way (%(rounds)s): one part of its scores would "
        "have marks and the other none. Lock the round first."
    ) % {"rounds": pgettext("between names", ", ").join(work.live_under_way)}


def _lost_languages(work: queries.Work, before: Sequence[str], after: Sequence[str]) -> str:
    """Languages of prompts that the project had and would have no longer. An empty list has all."""
    lost = {
        language: prompts
        for language, prompts in work.prompts.items()
        if _has(before, language) and not _has(after, language)
    }
    if not lost:
        return ""
    message = ngettext(
        "%(count)d prompt is in a language that would be missing: %(languages)s. Leave it in the list.",
        "%(count)d prompts are in languages that would be missing: %(languages)s. Leave them in the list.",
        sum(lost.values()),
    )
    return message % {"count": sum(lost.values()), "languages": pgettext("between names", ", ").join(lost)}


def _has(languages: Sequence[str], language: str) -> bool:
    return not languages or any(names.covers(tag, language) for tag in languages)


def _plain(value: object) -> object:
    """As JSON can hold it."""
    return str(value) if isinstance(value, Decimal) else value
