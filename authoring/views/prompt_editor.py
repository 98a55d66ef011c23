"""The editor of a prompt: written by hand or begun by a model, kept as it is typed, handed in for review."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import DomainError, Invalid
from annotation.forms import drafts
from annotation.queries.rubrics import reader_language
from annotation.services.refusals import FieldsRefused, Outdated
from authoring import access
from authoring.forms.prompts import EditorForm, HandInForm
from authoring.models import AuthoredPrompt, ModelRequest
from authoring.queries import expansions, versions
from authoring.queries import prompts as queries
from authoring.services import expansions as asking
from authoring.services import prompts
from authoring.tasks import work_on_plan
from authoring.views.prompts import of_prompt


class NotAsItIs(Invalid):
    """A draft that cannot be kept as it stands: too long, or no number. The page goes on and sends the next one, as
    it does for a draft that is too large."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The editor; `do=hand_in` leads on to handing it in once it is saved."""
    authored = access.authored(request.user, slug, key)
    if request.method != "POST":
        if authored.state not in AuthoredPrompt.OPEN:
            return redirect("authored_prompt", slug=slug, key=key)
        return _editor(request, authored, _form(authored))
    form = _form(authored, request.POST)
    if not form.is_valid():
        return _editor(request, authored, form, status=422)
    try:
        _save(request, authored, form, edits=form.cleaned_data["after"] or 0)
    except DomainError as refusal:
        if request.wants_json and not isinstance(refusal, Invalid):
            raise  # the page stays as it is, and says so
        form.refuse(refusal)
        return _editor(request, authored, form, status=refusal.status)
    return redirect("authored_hand_in" if request.POST.get("do") == "hand_in" else "authored_edit", slug, key)


@require_POST
def draft(request: HttpRequest, slug: str, key: str, pk: int) -> HttpResponse:
    """Keep what the page has in its form. Where somebody else saved meanwhile, 409 with what stands there now.

    `pk` makes the address the prompt's own on the whole site: the page keeps what is not sent yet under its end.
    """
    authored = access.authored(request.user, slug, key)
    sent = drafts.read(request.body)
    form = _form(authored, sent.content)
    if not form.is_valid():
        raise NotAsItIs("bad_draft", next(iter(form.errors.values()))[0])
    try:
        kept = _save(request, authored, form, edits=sent.version)
    except Outdated as refusal:
        return JsonResponse(
            {"version": int(refusal.version), "content": dict(refusal.now)}, status=refusal.status
        )
    return JsonResponse({"version": kept.edits, "saved_at": kept.changed_at})


def _form(authored: AuthoredPrompt, data: Mapping[str, object] | None = None) -> EditorForm:
    return EditorForm(
        data,
        genres=queries.genres(authored.project, reader_language()),
        languages=queries.languages(authored.project),
        initial={**versions.form_values(authored), "after": authored.edits},
    )


def _save(request: HttpRequest, authored: AuthoredPrompt, form: EditorForm, *, edits: int) -> AuthoredPrompt:
    given = {name: value for name, value in form.cleaned_data.items() if name != "after"}
    given["genre"] = authored.project.genres.filter(key=given["genre"]).first()
    return prompts.save(authored, **given, edits=edits, by=request.user, now=timezone.now())


def _editor(
    request: HttpRequest, authored: AuthoredPrompt, form: EditorForm, *, status: int = 200
) -> HttpResponse:
    history = versions.history(authored, request.user)
    context = {
        **of_prompt(request, authored),
        "form": form,
        "text": form["text"].value() or "",
        "last": history[0] if history else None,
        "models": expansions.endpoints(),
        "expansion": expansions.expansion(authored),
    }
    return render(request, "authoring/editor.html", context, status=status)


# --- Handing in ----------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """What will be reviewed, beside the version before it; sent back, it is handed in."""
    authored = access.authored(request.user, slug, key)
    if request.method != "POST":
        if authored.state not in AuthoredPrompt.OPEN:
            return redirect("authored_prompt", slug=slug, key=key)
        return _hand_in_page(request, authored, HandInForm(initial={"after": authored.edits}))
    form = HandInForm(request.POST)
    if form.is_valid():
        author = access.seat(request.user, authored.project)
        given = form.cleaned_data
        try:
            prompts.hand_in(
                authored, author=author, edits=given["after"], note=given["note"], now=timezone.now()
            )
        except (Invalid, Outdated) as refusal:
            form.add_error(None, _said(refusal))
        else:
            return redirect("authored_prompt", slug=slug, key=key)
    return _hand_in_page(request, authored, form, status=422)


def _said(refusal: DomainError) -> str:
    if isinstance(refusal, Outdated):
        return _("Somebody else has changed the prompt meanwhile. Read it again before you hand it in.")
    return " ".join(refusal.fields.values()) if isinstance(refusal, FieldsRefused) else refusal.message


def _hand_in_page(
    request: HttpRequest, authored: AuthoredPrompt, form: HandInForm, *, status: int = 200
) -> HttpResponse:
    last = versions.latest(authored)
    older = versions.content_of(last) if last else None
    context = {
        **of_prompt(request, authored),
        "form": form,
        "last": last,
        "number": last.number + 1 if last else 1,
        "fields": versions.fields_of(older, versions.content_of(authored)),
    }
    return render(request, "authoring/hand_in.html", context, status=status)


# --- A model begins it ---------------------------------------------------------------------------


@require_POST
def expand(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    endpoint = expansions.endpoints().filter(name=request.POST.get("model", "")).first()
    if endpoint is None:
        raise Invalid("no_endpoints", _("No model is chosen. Choose one that is offered."))
    plan = asking.ask(authored, endpoint, by=request.user, now=timezone.now())
    work_on_plan.delay_on_commit(plan.pk)
    return redirect(f"{reverse('authored_edit', args=[slug, key])}#model")


@require_safe
def expansion(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """How far the model is: the part of the editor that looks for itself while it waits."""
    authored = access.authored(request.user, slug, key)
    context = {**of_prompt(request, authored), "expansion": expansions.expansion(authored)}
    return render(request, "authoring/_expansion.html", context)


@require_POST
def take(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    authored = access.authored(request.user, slug, key)
    found = expansions.newest(authored)
    if found is None or str(found.pk) != request.POST.get("request"):
        raise DomainError(
            "newer_answer", _("Another answer has come meanwhile. Load the page again and read it.")
        )
    _take(request, authored, found)
    return redirect("authored_edit", slug=slug, key=key)


def _take(request: HttpRequest, authored: AuthoredPrompt, found: ModelRequest) -> None:
    replacing = request.POST.get("replacing") == "on"
    prompts.take_expansion(authored, found, replacing=replacing, by=request.user, now=timezone.now())
