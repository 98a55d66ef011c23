"""What the pages have in common on which an annotator chooses one of a few options under a lease."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise

from annotation.errors import DomainError, Invalid
from annotation.forms.votes import ChoiceForm
from annotation.models import Lease
from annotation.queries import choice_entries, flagging, rubrics, work_time
from annotation.views import hand_out

# Where on the page a refusal is shown.
FIELD_OF = {"justification_too_short": "justification"}
# What a page says that is open while the round is locked.
STATUS_OF = {"round_not_open": 423}


@dataclass(frozen=True, slots=True)
class ChoicePage:
    name: str  # of its address
    template: str
    ask: Promise  # what it says where nothing is chosen
    item: Callable[..., Any]  # of a lease, in a language
    chosen: str  # what the services call the choice
    submit: Callable[..., Any]
    revise: Callable[..., Any]


def answer(request: HttpRequest, lease: Lease, page: ChoicePage) -> HttpResponse:
    """Show the page, or take what it sends: a first answer leads on, a change of mind back to the page."""
    item = page.item(lease, language=rubrics.reader_language())
    if request.method != "POST":
        is_editing = item.may_revise and "edit" in request.GET
        begun = choice_entries.begun(lease, item.given)
        sent = {
            "value": begun.value,
            "justification": begun.justification,
            "based_on": begun.based_on,
            "active": begun.active,
        }
        form = ChoiceForm(options=item.options, ask=page.ask, initial=sent)
        return _shown(request, lease, page, form, item, is_editing=is_editing, version=begun.version)
    form = ChoiceForm(request.POST, options=item.options, ask=page.ask)
    if not form.is_valid():
        return _shown(request, lease, page, form, item, is_editing=True)
    try:
        is_new = _store(lease, page, form)
    except Invalid as refusal:
        form.add_error(FIELD_OF.get(refusal.code, "value"), refusal.message)
        return _shown(request, lease, page, form, item, is_editing=True)
    except DomainError as refusal:
        refusal.status = STATUS_OF.get(refusal.code, refusal.status)
        if request.wants_json:
            raise
        return _shown(request, lease, page, form, item, is_editing=True, refusal=refusal)
    if request.POST.get("after") == "own_work":
        return redirect("own_work")
    return hand_out.onward(lease) if is_new else redirect(page.name, token=lease.token)


def _store(lease: Lease, page: ChoicePage, form: ChoiceForm) -> bool:
    """Whether it is a first answer."""
    sent = form.cleaned_data
    given = {
        page.chosen: sent["value"],
        "justification": sent["justification"],
        "active": sent["active"],
        "now": timezone.now(),
    }
    if sent["based_on"]:
        page.revise(lease, **given, based_on=sent["based_on"])
    else:
        page.submit(lease, **given)
    return not sent["based_on"]


def _shown(
    request: HttpRequest,
    lease: Lease,
    page: ChoicePage,
    form: ChoiceForm,
    item: Any,
    *,
    is_editing: bool,
    version: int | None = None,
    refusal: DomainError | None = None,
) -> HttpResponse:
    """The page; a form that was refused comes back as it was sent, with status 422 or that of the refusal."""
    if version is None:
        version = choice_entries.begun(lease, item.given).version
    work = lease.assignment.round
    context = {
        "item": item,
        "form": form,
        "shows_form": is_editing or not item.given,
        "may_flag": not item.given,
        "flagged": flagging.has_flagged(lease),
        "refusal": refusal,
        "after": request.POST.get("after") or request.GET.get("edit", ""),
        "draft_version": version,
        "project": work.project,
        "activity": work_time.activity_of(work),
    }
    status = refusal.status if refusal else 422 if form.is_bound else 200
    return render(request, page.template, context, status=status)
