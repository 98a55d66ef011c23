"""Genres of a project: macro-categories and, under them, types. A key is given once and never changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.domain import names, shipped
from annotation.errors import DomainError
from annotation.models import Genre, Project, User
from annotation.queries import projects as queries
from annotation.services import journal
from annotation.services.refusals import FieldsRefused, Outdated, digest

LONGEST_KEY = 60
NEW = "new"  # stands for the primary key of a genre that is to be added


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of a genre as a form gives them; `genre` None for one to be added under `parent`."""

    genre: Genre | None
    parent: Genre | None
    english: str
    chinese: str

    @property
    def place(self) -> str:
        return str(self.genre.pk) if self.genre else NEW

    @property
    def is_changed(self) -> bool:
        return not self.genre or (self.genre.name_en, self.genre.name_zh) != (self.english, self.chinese)


def add_shipped(project: Project, taxonomy: shipped.Taxonomy) -> dict[str, Genre]:
    """The genres of a shipped taxonomy; returns the macro-categories by key."""
    genres: dict[str, Genre] = {}
    for position, macro in enumerate(taxonomy.genres):
        parent = genres[macro.key] = Genre.objects.create(
            project=project, key=macro.key, name_en=macro.name.en, name_zh=macro.name.zh, position=position
        )
        Genre.objects.bulk_create(
            Genre(
                project=project,
                parent=parent,
                key=kind.key,
                name_en=kind.name.en,
                name_zh=kind.name.zh,
                position=place,
            )
            for place, kind in enumerate(macro.types)
        )
    return genres


@transaction.atomic
def replace_all(project: Project, taxonomy: str, *, by: User | None, now: datetime) -> None:
    """Another taxonomy, while nothing uses a genre of the present one; "" for none."""
    _lock(project)
    if queries.any_genre_is_used(project):
        raise DomainError(
            "genres_in_use",
            _(
                "The genres cannot be replaced: prompts or criteria of the rubric use them. Edit them instead."
            ),
        )
    project.genres.exclude(parent=None).delete()
    project.genres.all().delete()
    if taxonomy:
        add_shipped(project, shipped.taxonomy(taxonomy))
    Project.objects.filter(pk=project.pk).update(taxonomy=taxonomy)
    journal.record("genres.replaced", by=by, at=now, project=project, taxonomy=taxonomy)


def section_version(macro: Genre) -> str:
    """The mark of a macro-category and its types as they are now."""
    return digest({str(genre.pk): [genre.name_en, genre.name_zh] for genre in _section(macro)})


@transaction.atomic
def save_section(
    macro: Genre,
    given: Mapping[str, tuple[str, str]],
    *,
    version: str,
    by: User | None,
    now: datetime,
) -> None:
    """Names (English, Chinese) of a macro-category and its types, by primary key; under NEW a type to add.

    FieldsRefused and Outdated name fields as en-KEY and zh-KEY.
    """
    _lock(macro.project)
    section = _section(macro)
    namings = [
        Naming(genre, genre.parent, *given[str(genre.pk)]) for genre in section if str(genre.pk) in given
    ]
    if any(given.get(NEW, ())):
        namings.append(Naming(None, macro, *given[NEW]))
    changed = [naming for naming in namings if naming.is_changed]
    if any(naming.genre for naming in changed) and version != section_version(macro):
        raise Outdated(
            "genres_changed",
            _(
                "Somebody else changed these names since you opened the page. What you wrote is kept below; "
                "look at it and save again."
            ),
            now={
                f"{language}-{genre.pk}": name
                for genre in section
                for language, name in (("en", genre.name_en), ("zh", genre.name_zh))
            },
            version=section_version(macro),
        )
    _refuse_bad_names(macro.project, changed)
    for naming in changed:
        _store(macro.project, naming, by=by, now=now)


@transaction.atomic
def add_macro(project: Project, english: str, chinese: str, *, by: User | None, now: datetime) -> Genre:
    """A macro-category at the end."""
    _lock(project)
    naming = Naming(None, None, english, chinese)
    _refuse_bad_names(project, [naming])
    return _store(project, naming, by=by, now=now)


@transaction.atomic
def move(genre: Genre, *, up: bool, by: User | None, now: datetime) -> None:
    """One place up or down among its like; nothing happens at the end."""
    _lock(genre.project)
    like = list(genre.project.genres.filter(parent=genre.parent_id).order_by("position", "pk"))
    place = next(number for number, each in enumerate(like) if each.pk == genre.pk)
    other = place - 1 if up else place + 1
    if not 0 <= other < len(like):
        return
    like[place], like[other] = like[other], like[place]
    for position, each in enumerate(like):
        Genre.objects.filter(pk=each.pk).exclude(position=position).update(position=position)
    journal.record("genre.moved", by=by, at=now, project=genre.project, genre=genre.key, position=other)


@transaction.atomic
def remove(genre: Genre, *, by: User | None, now: datetime) -> None:
    """A genre that nothing uses. Otherwise the refusal says what does, and how much of it."""
    _lock(genre.project)
    reasons = _uses(queries.use_of(genre))
    if reasons:
        raise DomainError(
            "genre_in_use",
            _("%(name)s cannot be removed: %(reasons)s.")
            % {"name": genre.name_en, "reasons": pgettext("between reasons", "; ").join(reasons)},
        )
    try:
        with transaction.atomic():
            Genre.objects.filter(pk=genre.pk).delete()
    except ProtectedError as error:
        raise DomainError("genre_in_use", _("It has come into use just now. Look again.")) from error
    journal.record("genre.removed", by=by, at=now, project=genre.project, genre=genre.key, name=genre.name_en)


def _lock(project: Project) -> None:
    """Changes of a project's genres, and imports that add some, follow each other."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _section(macro: Genre) -> Sequence[Genre]:
    types = macro.types.select_related("parent").order_by("position", "pk")
    return [Genre.objects.get(pk=macro.pk), *types]


def _uses(use: queries.GenreUse) -> list[str]:
    reasons = []
    if use.prompts:
        message = ngettext("%(count)d prompt is of it", "%(count)d prompts are of it", use.prompts)
        reasons.append(message % {"count": use.prompts})
    if use.types:
        message = ngettext("it holds %(count)d type", "it holds %(count)d types", use.types)
        reasons.append(message % {"count": use.types})
    if use.criteria:
        message = ngettext(
            "the rubric has, in some version, %(count)d criterion for it",
            "the rubric has, in some version, %(count)d criteria for it",
            use.criteria,
        )
        reasons.append(message % {"count": use.criteria})
    return reasons


def _refuse_bad_names(project: Project, changed: Iterable[Naming]) -> None:
    changed = list(changed)
    refused = {}
    for naming in changed:
        if not naming.english:
            refused[f"en-{naming.place}"] = _("Give the genre an English name. Its key is made from it.")
        for language, name in (("en", naming.english), ("zh", naming.chinese)):
            other = _namesake(project, naming, name, changed) if name else None
            if other:
                refused[f"{language}-{naming.place}"] = _(
                    "There is a genre of this name already: %(name)s."
                ) % {"name": other}
    if refused:
        raise FieldsRefused("bad_genre_names", refused)


def _namesake(project: Project, naming: Naming, name: str, changed: Sequence[Naming]) -> str:
    """Where the name stands already, in either language. A type may bear the name of what it is under."""
    replaced = {each.genre.pk for each in changed if each.genre}
    others = [
        Naming(genre, genre.parent, genre.name_en, genre.name_zh)
        for genre in project.genres.select_related("parent")
        if genre.pk not in replaced
    ]
    for other in [*others, *(each for each in changed if each is not naming)]:
        if _is_of_one_family(naming, other):
            continue
        if names.key(name) in {names.key(other.english), names.key(other.chinese)}:
            return f"{other.parent.name_en} › {other.english}" if other.parent else other.english
    return ""


def _is_of_one_family(one: Naming, other: Naming) -> bool:
    """Whether one is the type of the other."""
    pks = [each.genre.pk if each.genre else 0 for each in (one, other)]
    parents = [each.parent.pk if each.parent else None for each in (one, other)]
    return parents[0] == pks[1] or parents[1] == pks[0]


def _store(project: Project, naming: Naming, *, by: User | None, now: datetime) -> Genre:
    if naming.genre:
        _rename(naming.genre, naming, by=by, now=now)
        return naming.genre
    last = project.genres.filter(parent=naming.parent).order_by("-position").first()
    added = Genre.objects.create(
        project=project,
        parent=naming.parent,
        key=free_key(project, naming.english),
        name_en=naming.english,
        name_zh=naming.chinese,
        position=last.position + 1 if last else 0,
    )
    journal.record("genre.added", by=by, at=now, project=project, genre=added.key, name=added.name_en)
    return added


def _rename(genre: Genre, naming: Naming, *, by: User | None, now: datetime) -> None:
    changes = {
        column: [old, new]
        for column, old, new in (
            ("name_en", genre.name_en, naming.english),
            ("name_zh", genre.name_zh, naming.chinese),
        )
        if old != new
    }
    Genre.objects.filter(pk=genre.pk).update(**{column: new for column, (_old, new) in changes.items()})
    journal.record("genre.renamed", by=by, at=now, project=genre.project, genre=genre.key, **changes)


def free_key(project: Project, name: str) -> str:
    """A key from the name: of its Latin letters, else of whatever letters it has; genre-1 where it has none."""
    taken = set(project.genres.values_list("key", flat=True))
    wished = (slugify(name) or slugify(name, allow_unicode=True))[:LONGEST_KEY].strip("-_")
    if not wished:
        return next(key for key in (f"genre-{number}" for number in count(1)) if key not in taken)
    if wished not in taken:
        return wished
    shortened = wished[: LONGEST_KEY - 4]
    return next(key for key in (f"{shortened}-{number}" for number in count(2)) if key not in taken)
