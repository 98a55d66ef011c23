"""Projects with their genres and the versions of their rubrics; and who asks."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.forms.genres import MacroForm
from annotation.forms.projects import NewProjectForm, SettingsForm, language_initial
from annotation.models import Genre, Project, Round, Rubric
from annotation.queries import rubrics, scoring
from annotation.queries.people import person_name
from annotation.services import genres as genre_service
from annotation.services import projects as service
from api.base import View
from api.resources import bodies, doors
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row


class Projects(Filtered):
    """Those in which the token's owner takes part."""

    orders = {"slug": "slug", "name": "name"}

    def get(self, request: Request) -> Response:
        return self.page(doors.projects(self), lambda each: _project(request, each), order="slug")

    def post(self, request: Request) -> Response:
        """For operators, who lead what they make."""
        operator = access.operator(request.user)
        given = bodies.taken(request, bodies.NewProject)
        form = NewProjectForm(
            {
                "name": given["name"],
                "slug": given.get("slug", ""),
                "taxonomy": given.get("taxonomy") or "own",
                "other_languages": " ".join(given.get("languages", ())),
            }
        )
        wanted = bodies.cleaned(form)
        made = service.create(
            wanted["slug"] or service.free_slug(wanted["name"]),
            name=wanted["name"],
            taxonomy=wanted["taxonomy"],
            languages=form.tags(),
            lead=operator,
            by=operator,
            now=timezone.now(),
        )
        told = _project(request, made)
        return Response(told, status=201, headers={"Location": told["url"]})


class OneProject(View):
    """A project in which the person takes part; its settings are for its leads."""

    def get(self, request: Request, slug: str) -> Response:
        return Response(_project(request, doors.member(self, slug)))

    def patch(self, request: Request, slug: str) -> Response:
        """Any of the settings; what is left out stays."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.ProjectChange)
        kept = {**service.values(project), **given}
        sent = {**kept, **language_initial([]), "other_languages": " ".join(kept["languages"])}
        form = SettingsForm({**sent, "version": service.version(project)}, kept_zone=project.time_zone)
        bodies.cleaned(form)
        version = form.cleaned_data["version"]
        service.change(project, form.settings(), version=version, by=request.user, now=timezone.now())
        return Response(_project(request, Project.objects.get(pk=project.pk)))


def _project(request: Request, project: Project) -> Row:
    """Settings are for leads: a project's name is all that others are told of it."""
    roles = doors.roles(request.user, project)
    return {
        "slug": project.slug,
        "name": project.name,
        "roles": roles,
        "url": address(request, "api_project", project.slug),
        "settings": _settings(project) if "lead" in roles else None,
    }


def _settings(project: Project) -> Row:
    found = {name: value for name, value in service.values(project).items() if name != "name"}
    decimals = ("hourly_rate", "alpha_acceptable", "alpha_good")
    return found | {name: None if found[name] is None else str(found[name]) for name in decimals}


# --- Genres ----------------------------------------------------------------------------------------------


class Genres(Filtered):
    """Macro-categories, and types under them."""

    filters = {"parent": Filter("parent__key")}
    orders = {"key": "key", "created": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        project = doors.led(self, slug)
        found = project.genres.select_related("parent", "project")
        return self.page(found, lambda each: _genre(request, each), order="created")

    def post(self, request: Request, slug: str) -> Response:
        """A macro-category, or a type of one."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.NewGenre)
        names = {"english": given["name_en"], "chinese": given.get("name_zh", "")}
        wanted = bodies.cleaned(MacroForm(names))
        pair = (wanted["english"], wanted["chinese"])
        by, now = request.user, timezone.now()
        if given.get("parent"):
            macro = doors.genre(project, given["parent"])
            genre_service.save_section(macro, {genre_service.NEW: pair}, version="", by=by, now=now)
            added = macro.types.select_related("parent", "project").order_by("-pk")[0]
        else:
            added = genre_service.add_macro(project, *pair, by=by, now=now)
        told = _genre(request, added)
        return Response(told, status=201, headers={"Location": told["url"]})


class OneGenre(View):
    """A macro-category or a type, by its key."""

    def get(self, request: Request, slug: str, key: str) -> Response:
        return Response(_genre(request, doors.genre(doors.led(self, slug), key)))

    def delete(self, request: Request, slug: str, key: str) -> Response:
        """One that nothing uses."""
        found = doors.genre(doors.led(self, slug), key)
        genre_service.remove(found, by=request.user, now=timezone.now())
        return Response(status=204)


def _genre(request: Request, genre: Genre) -> Row:
    return {
        "key": genre.key,
        "parent": genre.parent.key if genre.parent else None,
        "name_en": genre.name_en,
        "name_zh": genre.name_zh,
        "position": genre.position,
        "url": address(request, "api_genre", genre.project.slug, genre.key),
    }


# --- Rubrics ---------------------------------------------------------------------------------------------


class Rubrics(Filtered):
    """The versions of the rubric."""

    orders = {"version": "version"}

    def get(self, request: Request, slug: str) -> Response:
        project = doors.led(self, slug)
        found = project.rubrics.select_related("project")
        return self.page(found, lambda each: _rubric(request, each), order="version")


class OneRubric(View):
    """What a version says, in each of its languages."""

    def get(self, request: Request, slug: str, number: int) -> Response:
        found = doors.rubric(doors.led(self, slug), number)
        said = rubrics.content(found)
        return Response(
            {
                **_rubric(request, found),
                "levels": [
                    {
                        "value": level.value,
                        "name": level.name,
                        "description": level.description,
                        "comparison": level.comparison,
                    }
                    for level in said.levels
                ],
                "criteria": [
                    {
                        "genre": each.genre,
                        "key": each.key,
                        "name": each.name,
                        "question": each.question,
                    }
                    for each in said.criteria
                ],
                "guideline": said.guideline,
            }
        )


def _rubric(request: Request, found: Rubric) -> Row:
    return {
        "version": found.version,
        "note": found.note,
        "created_at": found.created_at,
        "url": address(request, "api_rubric", found.project.slug, found.version),
    }


# --- Who asks --------------------------------------------------------------------------------------------


class Me(View):
    """Whose token it is."""

    def get(self, request: Request) -> Response:
        return Response(
            {
                "username": request.user.username,
                "name": person_name(request.user),
                "projects": address(request, "api_projects"),
                "rounds": address(request, "api_own_rounds"),
            }
        )


class OwnRounds(View):
    """The rounds in which the token's owner annotates, with what stands on their own page and no more."""

    def get(self, request: Request) -> Response:
        cards = scoring.round_cards(request.user, now=timezone.now())
        if self.limit is not None:
            within = set(Round.objects.filter(project=self.limit).values_list("token", flat=True))
            cards = [card for card in cards if card.token in within]
        return Response({"results": [_card(card) for card in cards]})


def _card(card: scoring.RoundCard) -> Row:
    return {
        "id": card.token,
        "project": card.project_name,
        "round": card.round_name,
        "state": "open" if card.is_open else "paused" if card.is_paused else "ended",
        "has_work": card.has_work,
        "done": card.done,
        "total": card.total,
    }
