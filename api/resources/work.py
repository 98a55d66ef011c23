"""Rounds and their slots, and what annotators gave in them, under pseudonyms."""

from collections.abc import Callable, Mapping

from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.forms.rounds import DraftForm, FilterForm, RoundForm
from annotation.models import Assignment, Project, Round, Score
from annotation.queries import round_prompts
from annotation.queries import rounds as queries
from annotation.services import rounds as service
from api.base import View
from api.resources import bodies, doors, rows
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row

ACTIONS: Mapping[str, Callable[..., None]] = {
    "open": service.open_draft,
    "pause": service.pause,
    "resume": service.resume,
    "lock": service.lock,
}
OF_A_DRAFT = tuple(DraftForm.base_fields)
IN_A_ROUND = {"round": Filter("round__name"), "annotator": Filter("annotator__pseudonym")}
OF_JUDGEMENTS = {
    **IN_A_ROUND,
    "purpose": Filter("round__purpose", tuple(Round.Purpose.values)),
    "standing": Filter("standing", tuple(Score.Standing.values)),
}


class Rounds(Filtered):
    """Rounds of work: live ones, repeats, gold items, validations, adjudications."""

    filters = {
        "state": Filter("state", tuple(Round.State.values)),
        "purpose": Filter("purpose", tuple(Round.Purpose.values)),
        "kind": Filter("kind", tuple(Round.Kind.values)),
    }
    orders = {"created": "pk", "name": "name"}

    def get(self, request: Request, slug: str) -> Response:
        found = rows.rounds(doors.led(self, slug))
        return self.page(found, lambda each: _line(request, slug, each), order="created")

    def post(self, request: Request, slug: str) -> Response:
        """A draft over the prompts that pass the filters; with nothing chosen, over all."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.NewRound)
        chosen = _filters(project, given)
        wanted = bodies.cleaned(RoundForm({"purpose": Round.Purpose.LIVE, **given}))
        details = {name: given[name] for name in OF_A_DRAFT if name in given}
        with transaction.atomic():  # no draft is left of what is refused in the end
            made = service.draft(project, **wanted, filters=chosen, by=request.user, now=timezone.now())
            if details.keys() - wanted.keys():
                _change(made, details, by=request.user)
        told = _whole(request, slug, doors.round_of_work(project, made.name))
        return Response(told, status=201, headers={"Location": told["url"]})


class OneRound(View):
    """A round, how far it is, and what keeps a draft from being opened."""

    def get(self, request: Request, slug: str, name: str) -> Response:
        return Response(_whole(request, slug, doors.round_of_work(doors.led(self, slug), name)))

    def patch(self, request: Request, slug: str, name: str) -> Response:
        """What a draft is; what is left out stays."""
        project = doors.led(self, slug)
        found = doors.round_of_work(project, name)
        _change(found, bodies.taken(request, bodies.RoundChange), by=request.user)
        return Response(_whole(request, slug, rows.rounds(project).get(pk=found.pk)))

    def delete(self, request: Request, slug: str, name: str) -> Response:
        """A draft alone."""
        found = doors.round_of_work(doors.led(self, slug), name)
        service.delete(found, by=request.user, now=timezone.now())
        return Response(status=204)


class RoundAction(View):
    """Opens, pauses, resumes or locks the round."""

    action = ""

    def post(self, request: Request, slug: str, name: str) -> Response:
        project = doors.led(self, slug)
        found = doors.round_of_work(project, name)
        if request.data:
            bodies.taken(request, bodies.Nothing)
        ACTIONS[self.action](found, by=request.user, now=timezone.now())
        return Response(_whole(request, slug, doors.round_of_work(project, name)))


def _filters(project: Project, given: Mapping[str, object]) -> object:
    """As the form of a new round takes them, with what there is to choose from."""
    facts = round_prompts.facts(project)
    language = "zh" if (get_language() or "").startswith("zh") else "en"
    form = FilterForm(
        {
            "language": given.get("languages", []),
            "genre": given.get("genres", []),
            "new": given.get("only_new", False),
            "sample": given.get("sample"),
            "seed": given.get("seed", ""),
        },
        languages=round_prompts.language_choices(facts),
        genres=round_prompts.genre_choices(project, facts, language=language),
    )
    bodies.cleaned(form)
    return form.filters()


def _change(work: Round, given: Mapping[str, object], *, by: object) -> None:
    before = {name: getattr(work, name) for name in OF_A_DRAFT}
    service.change(work, **bodies.cleaned(DraftForm({**before, **given})), by=by, now=timezone.now())


def _line(request: Request, slug: str, found: Round) -> Row:
    return {**rows.round_of_work(found), "url": address(request, "api_round", slug, found.name)}


def _whole(request: Request, slug: str, found: Round) -> Row:
    line = queries.line_of(found)
    told = ("prompts", "responses", "slots", "done", "surplus", "votes")
    is_draft = found.state == Round.State.DRAFT
    return {
        **_line(request, slug, found),
        "progress": {name: getattr(line, name) for name in told},
        "obstacles": [
            {"code": each.code, "message": each.message}
            for each in (queries.obstacles(found) if is_draft else ())
        ],
    }


# --- Slots and judgements --------------------------------------------------------------------------------


class Assignments(Filtered):
    """The slots of rounds: what is asked of whom, and where it stands."""

    filters = {
        **IN_A_ROUND,
        "state": Filter("state", tuple(Assignment.State.values)),
        "prompt": Filter("prompt__external_id"),
        "response": Filter("response__external_id"),
    }
    orders = {"created": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        return self.page(rows.assignments(doors.led(self, slug)), rows.assignment, order="created")


class Scores(Filtered):
    """Scores with every revision of them."""

    filters = {
        **OF_JUDGEMENTS,
        "response": Filter("response__external_id"),
        "prompt": Filter("response__prompt__external_id"),
    }
    orders = {"recorded": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        return self.page(rows.scores(doors.led(self, slug)), rows.score, order="recorded")


class Rankings(Filtered):
    """Rankings with every revision of them."""

    filters = {**OF_JUDGEMENTS, "prompt": Filter("prompt__external_id")}
    orders = {"recorded": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        return self.page(rows.rankings(doors.led(self, slug)), rows.ranking, order="recorded")
