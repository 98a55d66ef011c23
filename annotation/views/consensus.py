"""The items of an exam or a course, as their authors add, change and order them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.consensus import ItemForm, OwnItemForm, TakeForm
from annotation.models import ConsensusItem, Response, Round
from annotation.queries import consensus as queries
from annotation.queries import people
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import name_of, reader_language
from annotation.services import consensus

Kind = ConsensusItem.Kind


@require_safe
def items(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.item_round(request.user, slug, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, slug: str, pk: int, response_pk: int) -> HttpResponse:
    """A response of the project with the form that makes it an item."""
    work = access.item_round(request.user, slug, pk)
    response = access.response_for_item(work, response_pk)
    form = ItemForm(request.POST or None, kinds=_kinds(work))
    if request.method != "POST" or not form.is_valid():
        return _item_page(request, work, response, form)
    try:
        consensus.add(work, response, **form.given(), by=request.user, now=timezone.now())
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _item_page(request, work, response, form)
    return redirect("consensus_items", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def author(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An item of the author's own."""
    work = access.item_round(request.user, slug, pk)
    form = _own_form(request, work)
    if request.method == "POST" and form.is_valid():
        try:
            consensus.author(work, **form.given(), **form.texts(), by=request.user, now=timezone.now())
            return redirect("consensus_items", slug=slug, pk=pk)
        except DomainError as refusal:
            form.add_error(None, refusal.message)
    context = {**_around(request, work), "form": form}
    return render(request, "annotation/consensus_author.html", context, status=422 if form.is_bound else 200)


@require_POST
def take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Items out of the scores of a locked round; the page says what was taken and what was left out."""
    work = access.item_round(request.user, slug, pk)
    form = _take_form(request, work)
    if not form.is_valid():
        return _page(request, work, take_form=form)
    scored = work.project.rounds.get(pk=form.cleaned_data["scored"])
    given = {name: form.cleaned_data[name] for name in ("kind", "least")}
    try:
        taken = consensus.from_round(work, scored, **given, by=request.user, now=timezone.now())
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return _page(request, work, take_form=form)
    return _page(request, work, notice=_said(taken))


@require_http_methods(["GET", "HEAD", "POST"])
def item(request: HttpRequest, slug: str, pk: int, item_pk: int) -> HttpResponse:
    """One item: shown with its text, changed, moved or removed."""
    work = access.item_round(request.user, slug, pk)
    found = access.consensus_item(work, item_pk)
    if request.method != "POST":
        return _item_page(request, work, found.response, ItemForm(kinds=_kinds(work), item=found), found)
    action, by, now = request.POST.get("do", "save"), request.user, timezone.now()
    if action in ("earlier", "later"):
        consensus.move(found, earlier=action == "earlier", by=by, now=now)
        return redirect("consensus_items", slug=slug, pk=pk)
    if action == "remove":
        consensus.remove(found, by=by, now=now)
        return redirect("consensus_items", slug=slug, pk=pk)
    form = ItemForm(request.POST, kinds=_kinds(work), item=found)
    if form.is_valid():
        try:
            consensus.change(found, **form.given(), by=by, now=now)
            return redirect("consensus_items", slug=slug, pk=pk)
        except DomainError as refusal:
            form.add_error(None, refusal.message)
    return _item_page(request, work, found.response, form, found)


def _kinds(work: Round) -> list[tuple[str, str]]:
    return [
        (kind.value, str(kind.label)) for kind in Kind if kind in consensus.KINDS[Round.Purpose(work.purpose)]
    ]


def _own_form(request: HttpRequest, work: Round) -> OwnItemForm:
    reader = reader_language()
    languages = people.offered_languages(work.project)
    genres = [(genre, name_of(genre, reader)) for genre in work.project.genres.order_by("position", "pk")]
    return OwnItemForm(
        request.POST or None,
        kinds=_kinds(work),
        genres=genres,
        languages=[each for each in languages if work.language in ("", each[0])] or languages,
    )


def _take_form(request: HttpRequest, work: Round) -> TakeForm:
    rounds = [(pk, shown_name(name)) for pk, name in queries.rounds_with_scores(work.project)]
    return TakeForm(request.POST or None, rounds=rounds, kinds=_kinds(work))


def _said(taken: consensus.Taken) -> str:
    parts = [
        ngettext("%(n)d item was taken.", "%(n)d items were taken.", taken.items) % {"n": taken.items},
        ngettext(
            "%(n)d text was left out: too few scores, or none with a majority.",
            "%(n)d texts were left out: too few scores, or none with a majority.",
            taken.undecided,
        )
        % {"n": taken.undecided}
        if taken.undecided
        else "",
        ngettext(
            "%(n)d text was left out: removed, in another language, here already, or being judged.",
            "%(n)d texts were left out: removed, in another language, here already, or being judged.",
            taken.unfit,
        )
        % {"n": taken.unfit}
        if taken.unfit
        else "",
    ]
    return " ".join(part for part in parts if part)


def _around(request: HttpRequest, work: Round) -> dict[str, object]:
    """What every page of items needs."""
    return {
        "project": work.project,
        "work": work,
        "is_draft": work.state == Round.State.DRAFT,
        "is_lead": access.is_lead(request.user, work.project),
    }


def _page(
    request: HttpRequest, work: Round, *, take_form: TakeForm | None = None, notice: str = ""
) -> HttpResponse:
    search, genre = request.GET.get("search", "").strip()[:200], request.GET.get("genre", "")
    reader = reader_language()
    macros = [(each.key, name_of(each, reader)) for each in work.project.genres.filter(parent=None)]
    chosen = work.project.genres.filter(parent=None, key=genre).first()
    context = {
        **_around(request, work),
        "lines": queries.item_lines(work, language=reader),
        "take_form": take_form or _take_form(request, work)
        if queries.rounds_with_scores(work.project)
        else None,
        "notice": notice,
        "search": search,
        "genre": genre,
        "macros": macros,
        "found": queries.candidates(
            work, search=search, genre=chosen.pk if chosen else None, page=request.GET.get("page", "1")
        ),
    }
    status = 422 if take_form else 200
    return render(request, "annotation/consensus_items.html", context, status=status)


def _item_page(
    request: HttpRequest,
    work: Round,
    response: Response,
    form: ItemForm,
    found: ConsensusItem | None = None,
) -> HttpResponse:
    context = {
        **_around(request, work),
        "response": response,
        "text": queries.readable(response),
        "form": form,
        "item": found,
    }
    status = 422 if form.is_bound else 200
    return render(request, "annotation/consensus_item.html", context, status=status)
