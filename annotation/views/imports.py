from collections.abc import Callable

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from annotation import access, tasks
from annotation.domain.field_map import FieldMap
from annotation.domain.records import InputError, Record
from annotation.domain.sources import Shape
from annotation.errors import DomainError
from annotation.forms.field_map import MappingForm, refuse_unknown_columns
from annotation.forms.imports import NameForm, ShapeForm, UploadForm, refuse_another_check
from annotation.models import Import, ImportJob
from annotation.queries import import_drafts, import_preview
from annotation.queries import imports as queries
from annotation.services import imports as service
from annotation.services import imports_read, jobs
from annotation.services.intake_scores import ScoreIntake

PREVIEWED = 10  # rows
OPEN_OR_SEND = require_http_methods(["GET", "HEAD", "POST"])
Action = ImportJob.Action
HALF_DONE = (Import.State.STORING, Import.State.UNDOING)


@OPEN_OR_SEND
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """What has been imported, and the form for more files."""
    project = access.led_project(request.user, slug)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        files = [(file.name, file.chunks()) for file in form.cleaned_data["files"]]
        try:
            draft = service.upload(project, files, by=request.user, now=timezone.now())
        except InputError as error:
            form.add_error("files", queries.told(error))
        except DomainError as refusal:
            form.add_error("files", refusal.message)
        else:
            return redirect("import", slug=slug, pk=draft.pk)
    context = {
        "project": project,
        "form": form,
        "imports": queries.import_lines(project),
        "most_bytes": service.MAX_BYTES,
    }
    return render(request, "annotation/imports.html", context, status=422 if form.errors else 200)


@OPEN_OR_SEND
def wizard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One import: what its files are, what would become of their rows, what became of them."""
    found = access.led_import(request.user, slug, pk)
    if request.method != "POST":
        return _page(request, found)
    checking = request.POST.get("then") == "check"
    form = _mapping(found, request, complete=checking)
    if not form.is_valid():
        return _page(request, found, mapping=form, status=422)

    def revise() -> None:
        service.revise(found, **form.cleaned_data, leave_out_bad_rows=False, now=timezone.now())
        if checking:
            _ask(request, found, Action.CHECK)

    return _done(request, found, revise, mapping=form)


@OPEN_OR_SEND
def reread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the files another way; what was chosen for their columns is proposed anew."""
    found = access.led_import(request.user, slug, pk)
    form = ShapeForm(request.POST)
    if request.method != "POST":
        return redirect("import", slug=slug, pk=pk)
    if not form.is_valid():
        return _page(request, found, shape=form, status=422)
    layout = form.cleaned_data["layout"]

    def revise() -> None:
        service.revise(
            found,
            field_map=imports_read.field_map(found),
            shape=Shape.from_dict(form.shape()),
            layout=None if layout == found.layout else layout,
            keep_names=found.keep_names,
            leave_out_bad_rows=False,
            now=timezone.now(),
        )

    return _done(request, found, revise, shape=form)


@OPEN_OR_SEND
def store(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Import what the page shows: it sends the check whose report it had."""
    found = access.led_import(request.user, slug, pk)

    @transaction.atomic
    def ask() -> None:
        if found.state == Import.State.DRAFT:
            refuse_another_check(found, request.POST.get("check"))
        if request.POST.get("leave_out") == "on":
            _leave_out(found)
        _ask(request, found, Action.STORE)

    return _done(request, found, ask)


@OPEN_OR_SEND
def again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Do once more what failed."""
    found = access.led_import(request.user, slug, pk)
    job = queries.last_job(found)

    def ask() -> None:
        if job is None or job.state != ImportJob.State.FAILED:
            return
        if found.state not in HALF_DONE:
            _ask(request, found, job.action)
            return
        # Nothing else may begin before this is done, so it is the same job that goes on.
        jobs.try_again(job, now=timezone.now())
        tasks.run_import_job.delay_on_commit(job.pk)

    return _done(request, found, ask)


@OPEN_OR_SEND
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask first, with the numbers; a second page does it."""
    found = access.led_import(request.user, slug, pk)
    if request.method == "POST":
        return _done(request, found, lambda: _ask(request, found, Action.UNDO))
    if found.state != Import.State.STORED:
        return redirect("import", slug=slug, pk=pk)
    context = {
        "project": found.project,
        "import": queries.import_page(found),
        "brought": queries.brought(found),
        "reason": service.what_depends_on(found),
    }
    return render(request, "annotation/import_undo.html", context)


@OPEN_OR_SEND
def discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.led_import(request.user, slug, pk)
    done = _done(request, found, lambda: service.discard(found, by=request.user, now=timezone.now()))
    return redirect("imports", slug=slug) if request.method == "POST" and done.status_code == 302 else done


@OPEN_OR_SEND
def keep(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Keep the mapping under a name, for the next files: the one on the screen, which is taken for the draft first."""
    found = access.led_import(request.user, slug, pk)
    if request.method != "POST":
        return redirect("import", slug=slug, pk=pk)
    form, mapping = NameForm(request.POST), _mapping(found, request)
    if not (form.is_valid() and mapping.is_valid()):
        return _page(request, found, keep=form, mapping=mapping, status=422)

    @transaction.atomic
    def do() -> None:
        now, chosen = timezone.now(), mapping.cleaned_data
        # Taken anew it would make a check void, so not where it is the same.
        if chosen != {"field_map": imports_read.field_map(found), "keep_names": found.keep_names}:
            service.revise(found, **chosen, leave_out_bad_rows=False, now=now)
        service.keep_field_map(found, name=form.cleaned_data["name"], by=request.user, now=now)

    return _done(request, found, do, keep=form, mapping=mapping)


@OPEN_OR_SEND
def saved(request: HttpRequest, slug: str, pk: int, saved_pk: int) -> HttpResponse:
    """Apply a mapping that was kept, or forget it."""
    found = access.led_import(request.user, slug, pk)
    kept = access.saved_field_map(found, saved_pk)

    def do() -> None:
        if request.POST.get("then") == "forget":
            service.forget_field_map(kept, by=request.user, now=timezone.now())
            return
        field_map = FieldMap.from_dict(kept.field_map)
        refuse_unknown_columns(field_map, imports_read.columns(found))
        service.revise(
            found,
            field_map=field_map,
            keep_names=found.keep_names,
            leave_out_bad_rows=False,
            now=timezone.now(),
        )

    return _done(request, found, do)


# --- What these pages share --------------------------------------------------------------------------


def _done(request: HttpRequest, found: Import, do: Callable[[], object], **forms: object) -> HttpResponse:
    """Do it and return to the import's page; a refusal comes back on that page, with what was filled in.

    Opened without sending anything, as when an address is opened anew after a refusal, it does nothing.
    """
    if request.method == "POST":
        try:
            do()
        except InputError as error:
            return _page(request, _afresh(found), refusal=queries.told(error), status=422, **forms)
        except DomainError as refusal:
            return _page(request, _afresh(found), refusal=refusal.message, status=refusal.status, **forms)
    return redirect("import", slug=found.project.slug, pk=found.pk)


def _afresh(found: Import) -> Import:
    """As it is stored: a refused change may have got half way into the object."""
    return Import.objects.select_related("project", "created_by").get(pk=found.pk)


def _ask(request: HttpRequest, found: Import, action: str) -> None:
    job = service.request(found, action, by=request.user, now=timezone.now())
    tasks.run_import_job.delay_on_commit(job.pk)


def _leave_out(found: Import) -> None:
    service.revise(
        found,
        field_map=imports_read.field_map(found),
        keep_names=found.keep_names,
        leave_out_bad_rows=True,
        now=timezone.now(),
    )


def _mapping(
    found: Import, request: HttpRequest, *, complete: bool = False, flat: list[Record] | None = None
) -> MappingForm:
    """The form of a draft: as sent, or as the draft has it."""
    return MappingForm(
        request.POST if request.method == "POST" and flat is None else None,
        flat=imports_read.flat_samples(found) if flat is None else flat,
        field_map=imports_read.field_map(found),
        keep_names=found.keep_names,
        complete=complete,
    )


def _page(request: HttpRequest, found: Import, *, status: int = 200, **given: object) -> HttpResponse:
    job = queries.last_job(found)
    view = queries.job_view(job, now=timezone.now())
    context = {
        "project": found.project,
        "import": queries.import_page(found),
        "job": view,
        "check": job.pk if job else None,  # the report of a draft is that of its last job
        "report": queries.report_of(
            found, job, reason=request.GET.get("reason"), page=request.GET.get("page")
        ),
    }
    if found.state == Import.State.DRAFT and not (view and view.is_active):
        context |= _draft(request, found)
    context |= given
    template = "annotation/_import.html" if request.htmx else "annotation/import.html"
    return render(request, template, context, status=status)


def _draft(request: HttpRequest, found: Import) -> dict[str, object]:
    """What the page of a draft asks for: how its files are read, which column is what, and what comes of it."""
    flat = imports_read.flat_samples(found)
    mapping = _mapping(found, request, flat=flat)
    return {
        "mapping": mapping,
        "shape": ShapeForm(initial={**found.shape, "layout": found.layout}),
        "preview": None if mapping.gaps else _preview(found, flat[:PREVIEWED]),
        "saved": import_drafts.saved_field_maps(found),
        "before": import_drafts.imported_before(found),
        "keep": NameForm(),
        "unreadable": "" if flat else queries.first_fault(imports_read.flat(found)),
    }


def _preview(found: Import, flat: list[Record]) -> import_preview.Preview:
    field_map = imports_read.field_map(found)
    is_scored = bool(field_map.raters) or field_map.votes or "score" in field_map.fields
    digest = ScoreIntake(found.project, "", timezone.now()).pseudonym if is_scored else str
    language = "zh" if get_language().startswith("zh") else "en"
    return import_preview.preview(
        field_map,
        flat,
        who=import_preview.annotator_names(found.project, keep_names=found.keep_names, digest=digest),
        genres=import_preview.genre_names(found.project, language=language),
    )
