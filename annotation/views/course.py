"""The course as leads and instructors write it: lessons, items, and what came of them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.domain import starter_lessons
from annotation.errors import DomainError, Invalid
from annotation.forms.training import LessonForm
from annotation.models import Genre, Lesson, Project, Round
from annotation.queries import agreed_texts, threads, trainees, training, work_time
from annotation.queries import courses as queries
from annotation.queries.rubrics import genre_names, reader_language
from annotation.services import courses, lessons
from annotation.views import threads as posts

STARTERS = frozenset(each.key for each in starter_lessons.lessons("en"))


@require_safe
def course(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.instructed_project(request.user, slug)
    reader = reader_language()
    context = {
        "project": project,
        "is_lead": access.is_lead(request.user, project),
        "parts": [
            queries.part(project, language, reader=reader, starters=STARTERS)
            for language in queries.languages(project)
        ],
        "trainees": trainees.trainees(project),
    }
    return render(request, "annotation/course.html", context)


def _language(project: Project, language: str) -> str:
    """Of an address; one that the project has no course in does not exist."""
    found = "" if language == access.ANY_LANGUAGE else language
    if found not in queries.languages(project):
        raise Http404
    return found


# --- Lessons -------------------------------------------------------------------------------------


@require_POST
def starters(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    project = access.instructed_project(request.user, slug)
    lessons.add_starters(project, language=_language(project, language), by=request.user, now=timezone.now())
    return redirect(f"{reverse('course', args=[slug])}#course-{language}")


@require_http_methods(["GET", "HEAD", "POST"])
def new_lesson(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    project = access.instructed_project(request.user, slug)
    subtag = _language(project, language)
    if request.method != "POST":
        return _lesson_page(request, project, subtag, _form(project))
    form = _form(project, request.POST)
    if not form.is_valid() or request.POST.get("do") == "preview":
        return _lesson_page(request, project, subtag, form)
    given, by, now = _given(project, form), request.user, timezone.now()
    try:
        made = lessons.write(project, language=subtag, by=by, now=now, **given)
    except Invalid as refusal:
        form.add_error("body", refusal.message)
        return _lesson_page(request, project, subtag, form)
    if request.POST.get("do") == "publish":
        lessons.publish(made, by=by, now=now)
    return redirect(f"{reverse('course', args=[slug])}#lesson-{made.pk}")


@require_http_methods(["GET", "HEAD", "POST"])
def lesson(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The lesson to be changed. Buttons that change no text (publish, retire, up, down) are `do` alone."""
    project = access.instructed_project(request.user, slug)
    found = access.lesson(project, pk)
    if request.method != "POST":
        return _lesson_page(request, project, found.language, _form(project, lesson=found), found)
    action, by, now = request.POST.get("do", ""), request.user, timezone.now()
    if action in ("up", "down", "retire", "publish") and "body" not in request.POST:
        _move(found, action, request)
        return redirect(f"{reverse('course', args=[slug])}#lesson-{pk}")
    form = _form(project, request.POST, lesson=found)
    if not form.is_valid() or action == "preview":
        return _lesson_page(request, project, found.language, form, found)
    try:
        lessons.change(
            found,
            **_given(project, form),
            version=form.cleaned_data["version"],
            by=by,
            now=now,
        )
    except DomainError as refusal:
        form.add_error("body", refusal.message)
        return _lesson_page(request, project, found.language, form, found, status=refusal.status)
    if action == "publish":
        lessons.publish(found, by=by, now=now)
    return redirect(f"{reverse('course', args=[slug])}#lesson-{pk}")


def _move(found: Lesson, action: str, request: HttpRequest) -> None:
    by, now = request.user, timezone.now()
    if action == "publish":
        lessons.publish(found, by=by, now=now)
    elif action == "retire":
        lessons.retire(found, by=by, now=now)
    else:
        lessons.move(found, up=action == "up", by=by, now=now)


def _genres(project: Project) -> list[tuple[str, str]]:
    """Macro-categories: lessons are for those, not for their types."""
    return [(each.key, each.name) for each in genre_names(project, reader_language()) if not each.is_type]


def _form(
    project: Project, data: dict[str, str] | None = None, *, lesson: Lesson | None = None
) -> LessonForm:
    return LessonForm(data, genres=_genres(project), lesson=lesson)


def _given(project: Project, form: LessonForm) -> dict[str, object]:
    given = form.cleaned_data
    genre: Genre | None = project.genres.filter(key=given["genre"]).first() if given["genre"] else None
    return {"title": given["title"], "body": given["body"], "genre": genre}


def _lesson_page(
    request: HttpRequest,
    project: Project,
    language: str,
    form: LessonForm,
    lesson: Lesson | None = None,
    *,
    status: int = 0,
) -> HttpResponse:
    is_preview = form.is_bound and request.POST.get("do") == "preview" and form.is_valid()
    context = {
        "project": project,
        "is_lead": access.is_lead(request.user, project),
        "form": form,
        "lesson": lesson,
        "language": language,
        "language_name": queries.language_label(language),
        "tag": {"zh": "zh-Hans"}.get(language, language),
        "preview": training.lesson_html(form.cleaned_data["body"]) if is_preview else "",
    }
    status = status or (422 if form.is_bound and not is_preview else 200)
    return render(request, "annotation/course_lesson.html", context, status=status)


# --- The course itself ---------------------------------------------------------------------------


@require_POST
def draft(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    project = access.instructed_project(request.user, slug)
    subtag = _language(project, language)
    made = courses.draft(project, language=subtag, by=request.user, now=timezone.now())
    return redirect("course_items", slug=slug, pk=made.pk)


@require_POST
def open_course(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = _course(request, slug, pk)
    try:
        courses.open_course(work, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _items_page(request, work, refused=refusal)
    return redirect("course_items", slug=slug, pk=pk)


@require_POST
def retire_course(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = _course(request, slug, pk)
    try:
        courses.retire(work, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _items_page(request, work, refused=refusal)
    return redirect("course_items", slug=slug, pk=pk)


@require_safe
def items(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _items_page(request, _course(request, slug, pk))


def _course(request: HttpRequest, slug: str, pk: int) -> Round:
    return access.instructed_round(request.user, slug, pk, purpose=Round.Purpose.TRAINING)


def _items_page(request: HttpRequest, work: Round, *, refused: DomainError | None = None) -> HttpResponse:
    reader = reader_language()
    context = {
        "project": work.project,
        "is_lead": access.is_lead(request.user, work.project),
        "work": work,
        "line": queries.course_line(work),
        "language_name": queries.language_label(work.language),
        "items": queries.item_lines(work, reader=reader),
        "obstacles": courses.obstacles(work) if work.state == Round.State.DRAFT else [],
        "refused": refused.message if refused else "",
    }
    return render(request, "annotation/course_items.html", context, status=refused.status if refused else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A text with its consensus, what trainees scored first, and its thread; sent, a post or a ruling."""
    found = access.course_item(access.instructed_project(request.user, slug), pk)
    work, response = found.round, found.response
    talk = threads.thread(work, response, reader=request.user, pseudonyms=False)
    posting = posts.form_of(talk)
    if request.method == "POST":
        refused = posts.take(request, work, response, talk)
        if refused is None:
            return redirect(f"{reverse('course_item', args=[slug, pk])}#thread")
        posting = refused
    line = next(each for each in queries.item_lines(work, reader=reader_language()) if each.pk == pk)
    context = {
        "project": work.project,
        "is_lead": access.is_lead(request.user, work.project),
        "work": work,
        "line": line,
        "text": agreed_texts.agreed_text(found, reader=reader_language()),
        "reflections": agreed_texts.meant(work, response),
        "thread": talk,
        "posting": posting,
        "thread_address": reverse("course_item", args=[slug, pk]),
        "activity": work_time.Activity.THREAD.value,
    }
    return render(
        request, "annotation/course_item.html", context, status=422 if request.method == "POST" else 200
    )
