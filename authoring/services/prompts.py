"""A prompt from its blueprint to its retirement: written, handed in, taken up again, linked to its parallels.

What is said of a version stands in reviews.py. Nothing that was handed in is ever changed.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Genre, Membership, Project, User
from annotation.services import journal, seals
from annotation.services.refusals import FieldsRefused, Outdated
from authoring.domain import reviewing
from authoring.models import AcceptedVersion, AuthoredPrompt, ModelRequest, PromptVersion
from authoring.queries import versions

State = AuthoredPrompt.State
WRITERS = (Membership.Role.INSTRUCTOR, Membership.Role.LEAD)
RESERVED = frozenset({"new"})  # of the address under which prompts are begun
TAKEN_UP_AGAIN = (State.ACCEPTED, State.RETIRED)


@transaction.atomic
def begin(
    project: Project,
    *,
    key: str,
    genre: Genre | None,
    language: str,
    blueprint: str,
    constraints: str = "",
    intended_length: int | None = None,
    author: Membership,
    parallel_to: AuthoredPrompt | None = None,
    now: datetime,
) -> AuthoredPrompt:
    """A blueprint. `parallel_to` is the same prompt in another language, or any of its parallels."""
    seals.hold(project)  # parallels are looked at and linked by one person at a time
    refuse_other_people(author, project)
    _refuse_key(project, key)
    if not blueprint.strip():
        raise FieldsRefused(
            "no_blueprint", {"blueprint": _("Write two or three sentences on what it asks for.")}
        )
    root = _root(parallel_to) if parallel_to else None
    if root is not None:
        _refuse_language_twice(root, language)
    made = AuthoredPrompt(
        project=project,
        key=key,
        genre=genre,
        language=language,
        blueprint=blueprint,
        constraints=constraints,
        intended_length=intended_length,
        edits=1,
        author=author,
        parallel_to=root,
        created_at=now,
        changed_at=now,
    )
    made.save(force_insert=True)
    record("authoring.begun", made, by=author.user, now=now)
    return made


def save(
    authored: AuthoredPrompt,
    *,
    title: str,
    text: str,
    blueprint: str,
    constraints: str,
    intended_length: int | None,
    genre: Genre | None,
    language: str,
    edits: int,
    by: User | None,
    now: datetime,
) -> AuthoredPrompt:
    """Keep what is being written, finished or not; the journal has the first text alone, since pages save as people
    type. `edits` is the counter that the writer has seen.

    What stands there already is kept once. Outdated where somebody else has saved since; DomainError not_open where
    the prompt is not being written.
    """
    written = {
        "title": title,
        "text": text,
        "blueprint": blueprint,
        "constraints": constraints,
        "intended_length": intended_length,
        "genre": genre,
        "language": language,
    }
    current = _current(authored)
    if all(getattr(current, name) == value for name, value in written.items()):
        return current
    refuse_closed(current)
    if current.edits != edits:
        raise _outdated(current)
    return _store(current, written, by=by, now=now)


@transaction.atomic
def take_expansion(
    authored: AuthoredPrompt,
    request: ModelRequest,
    *,
    replacing: bool = False,
    by: User | None,
    now: datetime,
) -> AuthoredPrompt:
    """The model's answer becomes the text, and is kept in mind as what it began with.

    `replacing`: whoever asks knows that it takes the place of what is written.
    """
    current = _current(authored)
    refuse_closed(current)
    if (
        request.authored_id != current.pk
        or request.state != ModelRequest.State.DONE
        or not request.text.strip()
    ):
        raise DomainError("no_answer", _("This model has not given a text for this prompt."))
    if current.text.strip() not in ("", request.text.strip()) and not replacing:
        raise Invalid(
            "text_there",
            _("A text is written already. Tick that the model's may take its place, or write on by hand."),
        )
    stored = _store(current, {"text": request.text.strip(), "expansion": request}, by=by, now=now)
    record("authoring.expansion_taken", stored, by=by, now=now, source=request.source.public_name)
    return stored


@transaction.atomic
def hand_in(
    authored: AuthoredPrompt, *, author: Membership, edits: int, note: str = "", now: datetime
) -> PromptVersion:
    """The next version, for two people to review. Sent twice it is one."""
    held = hold(authored)
    refuse_other_people(author, held.project)
    last = versions.latest(held)
    is_same = last is not None and versions.content_of(last) == versions.content_of(held)
    if last is not None and is_same and held.state == State.IN_REVIEW and last.author_id == author.pk:
        return last
    refuse_closed(held)
    if held.edits != edits:
        raise _outdated(held)
    _refuse_incomplete(held)
    if last is not None and is_same and versions.is_settled(last):
        raise Invalid(
            "unchanged",
            _("Nothing differs from the version before. Change what the reviews ask for, then hand it in."),
        )
    made = PromptVersion.objects.create(
        authored=held,
        number=last.number + 1 if last else 1,
        title=held.title,
        text=held.text,
        blueprint=held.blueprint,
        constraints=held.constraints,
        intended_length=held.intended_length,
        expansion_id=held.expansion_id,
        author=author,
        note=note,
        made_at=now,
    )
    pass_on(held, State.IN_REVIEW, now=now)
    record("authoring.handed_in", held, by=author.user, now=now, version=made.number)
    return made


@transaction.atomic
def retire(authored: AuthoredPrompt, *, reason: str, by: User | None, now: datetime) -> AuthoredPrompt:
    """Put it away. A prompt of the material that came of it stays there."""
    if not reason.strip():
        raise Invalid("no_reason", _("Write why it is retired."))
    held = hold(authored)
    if held.state == State.RETIRED:
        raise DomainError("retired", _("This prompt has been retired already."))
    pass_on(held, State.RETIRED, now=now)
    record("authoring.retired", held, by=by, now=now, reason=reason.strip())
    return held


@transaction.atomic
def reopen(authored: AuthoredPrompt, *, by: User | None, now: datetime) -> AuthoredPrompt:
    """Begin a new draft of an accepted or retired prompt; what is in the material stays as it is."""
    held = hold(authored)
    if held.state not in TAKEN_UP_AGAIN:
        raise DomainError(
            "not_settled", _("Only a prompt that is accepted or retired can be taken up again.")
        )
    pass_on(held, State.DRAFT if held.text.strip() else State.BLUEPRINT, now=now)
    record("authoring.reopened", held, by=by, now=now)
    return held


# --- Parallels -----------------------------------------------------------------------------------


@transaction.atomic
def link(
    authored: AuthoredPrompt, other: AuthoredPrompt, *, by: User | None, now: datetime
) -> AuthoredPrompt:
    """Make it the parallel of a prompt in another language, or of that one's parallels."""
    seals.hold(authored.project)
    held, root = _current(authored), _root(_current(other))
    if held.project_id != root.project_id or root.pk == held.pk:
        raise Invalid("not_a_parallel", _("Choose another prompt of this project."))
    if held.parallel_to_id is not None or held.parallels.exists():
        raise DomainError("linked", _("This prompt has parallels already. Unlink it from them first."))
    _refuse_language_twice(root, held.language)
    AuthoredPrompt.objects.filter(pk=held.pk).update(parallel_to=root)
    held.refresh_from_db()
    record("authoring.linked", held, by=by, now=now, to=root.key)
    return held


@transaction.atomic
def unlink(authored: AuthoredPrompt, *, by: User | None, now: datetime) -> AuthoredPrompt:
    """Take it out of its parallels; the others stay together."""
    seals.hold(authored.project)
    held = _current(authored)
    others = list(held.parallels.order_by("pk"))
    if held.parallel_to_id is None and not others:
        raise DomainError("not_linked", _("This prompt has no parallels."))
    if others:  # the next one takes its place
        AuthoredPrompt.objects.filter(pk=others[0].pk).update(parallel_to=None)
        AuthoredPrompt.objects.filter(parallel_to=held).update(parallel_to=others[0])
    AuthoredPrompt.objects.filter(pk=held.pk).update(parallel_to=None)
    held.refresh_from_db()
    record("authoring.unlinked", held, by=by, now=now)
    return held


def _root(authored: AuthoredPrompt) -> AuthoredPrompt:
    return authored.parallel_to or authored


def _refuse_language_twice(root: AuthoredPrompt, language: str, *, but: AuthoredPrompt | None = None) -> None:
    family = [root, *root.parallels.all()]
    if any(each.language == language for each in family if each != but):
        raise FieldsRefused(
            "language_twice", {"language": _("A parallel prompt in this language is there already.")}
        )


# --- The row -------------------------------------------------------------------------------------


def hold(authored: AuthoredPrompt) -> AuthoredPrompt:
    """The row as it is now, which nobody else changes until the transaction ends."""
    rows = AuthoredPrompt.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("project", "genre").get(pk=authored.pk)


def pass_on(authored: AuthoredPrompt, state: State, *, now: datetime) -> None:
    """The one transition. DomainError changed_meanwhile where somebody else was first."""
    same = AuthoredPrompt.objects.filter(pk=authored.pk, state=authored.state)
    if same.update(state=state, changed_at=now) != 1:
        raise DomainError(
            "changed_meanwhile", _("Somebody else has just changed this prompt. Load the page again.")
        )
    authored.state, authored.changed_at = state, now


def record(action: str, authored: AuthoredPrompt, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=authored.project, authored=authored.key, **data)


def refuse_other_people(member: Membership, project: Project) -> None:
    is_writer = member.role in WRITERS and member.state == Membership.State.ACTIVE
    if member.project_id != project.pk or not is_writer:
        raise NotAllowed("not_an_instructor", _("Leads and instructors of the project write its prompts."))


def _current(authored: AuthoredPrompt) -> AuthoredPrompt:
    return AuthoredPrompt.objects.select_related("project", "genre", "parallel_to").get(pk=authored.pk)


@transaction.atomic
def _store(
    current: AuthoredPrompt, written: dict[str, object], *, by: User | None, now: datetime
) -> AuthoredPrompt:
    language = str(written.get("language", current.language))
    if language != current.language:
        _refuse_other_language(current, language)
    state = reviewing.after_edit(current.state, str(written["text"]))
    seen = AuthoredPrompt.objects.filter(pk=current.pk, edits=current.edits, state=current.state)
    if seen.update(**written, state=state, edits=F("edits") + 1, changed_at=now) != 1:
        raise _outdated(_current(current))
    if state != current.state:
        record("authoring.drafted", current, by=by, now=now)
    return _current(current)


def _outdated(current: AuthoredPrompt) -> Outdated:
    return Outdated(
        "outdated",
        _(
            "Somebody else has saved this prompt since you opened it, and nothing of yours was stored. What stands "
            "there now is shown at each field; take from it what you need, and save again."
        ),
        now=versions.form_values(current),
        version=str(current.edits),
    )


# --- Refusals ------------------------------------------------------------------------------------


def _refuse_key(project: Project, key: str) -> None:
    if key in RESERVED:
        raise FieldsRefused("key_reserved", {"key": _("This id has a meaning of its own. Choose another.")})
    is_taken = project.authored_prompts.filter(key=key).exists()
    if is_taken or project.prompts.filter(external_id=key).exists():
        raise FieldsRefused(
            "key_taken", {"key": _("Another prompt of the project has this id. Choose another.")}
        )


def refuse_closed(authored: AuthoredPrompt) -> None:
    if authored.state in AuthoredPrompt.OPEN:
        return
    if authored.state == State.IN_REVIEW:
        raise DomainError(
            "not_open", _("This prompt is in review. It can be changed once both reviews are given.")
        )
    raise DomainError("not_open", _("This prompt is settled. Take it up again to change it."))


def _refuse_incomplete(authored: AuthoredPrompt) -> None:
    says = {
        "title": _("Give the prompt a title."),
        "text": _("Write the prompt."),
        "blueprint": _("Write the blueprint."),
    }
    lacking = {field: says[field] for field in reviewing.missing(versions.content_of(authored))}
    if authored.genre_id is None and authored.project.genres.exists():
        lacking["genre"] = _("Choose a genre.")
    if lacking:
        raise FieldsRefused("incomplete", lacking)


def _refuse_other_language(authored: AuthoredPrompt, language: str) -> None:
    if AcceptedVersion.objects.filter(version__authored=authored).exists():
        raise FieldsRefused(
            "language_fixed",
            {
                "language": _(
                    "The prompt is in the material in this language. Begin a parallel prompt instead."
                )
            },
        )
    seals.hold(authored.project)
    _refuse_language_twice(_root(_current(authored)), language, but=authored)
