"""What pages with a thread share: the form for a post, and what becomes of one that is sent."""

from django.http import Http404, HttpRequest
from django.utils import timezone

from annotation.errors import Invalid
from annotation.forms.training import CommentForm
from annotation.models import Comment, Response, Round
from annotation.queries.threads import Thread
from annotation.services import threads


def form_of(thread: Thread, data: dict[str, str] | None = None) -> CommentForm:
    criteria = [(choice.key, choice.name) for choice in thread.criteria]
    return CommentForm(data, paragraphs=thread.paragraphs, criteria=criteria)


def take(request: HttpRequest, work: Round, response: Response, thread: Thread) -> CommentForm | None:
    """Store the post, or make one a ruling (`rule`: its number). The form where it was refused, else None."""
    if "rule" in request.POST:
        threads.rule(_comment(request, work, response), by=request.user, now=timezone.now())
        return None
    form = form_of(thread, request.POST)
    if not form.is_valid():
        return form
    try:
        threads.post(work, response, by=request.user, now=timezone.now(), **form.cleaned_data)
    except Invalid as refusal:
        form.refuse(refusal)
        return form
    return None


def _comment(request: HttpRequest, work: Round, response: Response) -> Comment:
    pk = request.POST["rule"]
    found = None
    if pk.isdecimal() and len(pk) < 19:
        found = Comment.objects.filter(round=work, response=response, pk=int(pk)).first()
    if found is None:
        raise Http404
    return found
