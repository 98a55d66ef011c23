"""The course as its trainee walks it: lessons, worked examples, items, and what others think of those they locked."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.domain.mastery import COURSE_HOURS
from annotation.domain.stages import TRAINING
from annotation.errors import Invalid
from annotation.forms.training import CommentForm, ReflectionForm
from annotation.models import Lease, Qualification
from annotation.queries import agreed_texts, threads, work_time
from annotation.queries import training as queries
from annotation.queries.rubrics import reader_language
from annotation.services import lessons
from annotation.services import training as services
from annotation.views import threads as posts


@require_safe
def course(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    held = access.trainee(request.user, slug, language)
    found = queries.progress(held)
    context = {
        **_where(held, language),
        "progress": found,
        "examples": range(1, found.worked + 1),
        "is_here": held.stage == TRAINING,
        "spent": work_time.in_words(work_time.of_person(held.project, request.user).course),
        "hours": COURSE_HOURS,
    }
    return render(request, "annotation/training.html", context)


@require_POST
def next_item(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    held = access.trainee(request.user, slug, language)
    lease = services.next_item(held, now=timezone.now())
    if lease is None:
        return redirect("training", slug=slug, language=language)
    return redirect("score", token=lease.token)


@require_http_methods(["GET", "HEAD", "POST"])
def lesson(request: HttpRequest, slug: str, language: str, number: int) -> HttpResponse:
    """A lesson; sent back, it is read, and the next unread one follows."""
    held = access.trainee(request.user, slug, language)
    there = queries.published(held)
    if not 1 <= number <= len(there):
        raise Http404
    if request.method == "POST":
        lessons.read(there[number - 1], held.annotator, now=timezone.now())
        if number < len(there):
            return redirect("training_lesson", slug=slug, language=language, number=number + 1)
        return redirect("training", slug=slug, language=language)
    found = there[number - 1]
    context = {
        **_where(held, language),
        "lesson": found,
        "html": queries.lesson_html(found.body),
        "row": queries.lesson_rows(held, reader_language())[number - 1],
        "number": number,
        "total": len(there),
    }
    return render(request, "annotation/training_lesson.html", context)


@require_safe
def example(request: HttpRequest, slug: str, language: str, number: int) -> HttpResponse:
    held = access.trainee(request.user, slug, language)
    there = agreed_texts.worked_items(held)
    if not 1 <= number <= len(there):
        raise Http404
    context = {
        **_where(held, language),
        "text": agreed_texts.agreed_text(there[number - 1], reader=reader_language()),
        "number": number,
        "total": len(there),
        "before": number - 1,
        "after": number + 1 if number < len(there) else None,
    }
    return render(request, "annotation/training_example.html", context)


@require_POST
def finish(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    held = access.trainee(request.user, slug, language)
    services.finish(held, by=request.user, now=timezone.now())
    return redirect("standing", slug=slug)


def _where(held: Qualification, language: str) -> dict[str, object]:
    return {"project": held.project, "language": language, "held": held}


# --- An item whose score is locked ---------------------------------------------------------------


@require_safe
def consensus(request: HttpRequest, token: str) -> HttpResponse:
    return _consensus_page(request, access.locked_lease(request.user, token))


@require_http_methods(["GET", "HEAD", "POST"])
def reflection(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.locked_lease(request.user, token)
    if request.method != "POST":
        return redirect("consensus", token=token)
    form = ReflectionForm(request.POST)
    if not form.is_valid():
        return _consensus_page(request, lease, reflecting=form)
    try:
        services.reflect(lease, form.cleaned_data["text"], now=timezone.now())
    except Invalid as refusal:
        form.add_error("text", refusal.message)
        return _consensus_page(request, lease, reflecting=form)
    return redirect(f"{reverse('consensus', args=[token])}#reflection")


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, token: str) -> HttpResponse:
    lease = access.locked_lease(request.user, token)
    if request.method != "POST":
        return redirect("consensus", token=token)
    work, response = lease.assignment.round, lease.assignment.response
    found = threads.thread(work, response, reader=request.user, pseudonyms=False)
    refused = posts.take(request, work, response, found)
    if refused is not None:
        return _consensus_page(request, lease, posting=refused)
    return redirect(f"{reverse('consensus', args=[token])}#thread")


def _consensus_page(
    request: HttpRequest,
    lease: Lease,
    *,
    reflecting: ReflectionForm | None = None,
    posting: CommentForm | None = None,
) -> HttpResponse:
    found = agreed_texts.reveal(lease, reader=reader_language())
    if found is None:
        raise Http404
    work, response = lease.assignment.round, lease.assignment.response
    talk = threads.thread(work, response, reader=request.user, pseudonyms=False)
    held = queries.qualification_of(lease)
    context = {
        "item": found,
        "text": found.text,
        "project": work.project,
        "round_name": work.name,
        "language": (held.language or access.ANY_LANGUAGE) if held else "",
        "is_here": held is not None and held.stage == TRAINING,
        "reflecting": reflecting or ReflectionForm(initial={"text": found.reflection}),
        "thread": talk,
        "posting": posting or posts.form_of(talk),
        "thread_address": reverse("consensus_thread", args=[lease.token]),
    }
    status = 422 if reflecting or posting else 200
    return render(request, "annotation/consensus.html", context, status=status)
