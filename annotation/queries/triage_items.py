"""The items of the triage queue as a page shows them: the text, what is doubted about it, what was decided."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotation.domain import text as lengths
from annotation.domain import triage
from annotation.models import Flag, Project, Prompt, Response, User
from annotation.queries.imports import LONGEST_REASON, UNITS, capped, name_of, said, said_of
from annotation.queries.people import person_name
from annotation.queries.rubrics import name_of as genre_name
from annotation.queries.rubrics import reader_language
from annotation.queries.texts import language_tag, paragraphs
from annotation.queries.triage import BY_ANNOTATOR, Place

# Characters of a text that the queue shows at once; Chinese ones take twice the room.
EXCERPT, EXCERPT_OF_CHINESE = 600, 300
LONGEST_IN_QUEUE = 20_000  # characters; longer ones are shown whole on the page of the item alone
SAMPLES = 3  # responses shown of a prompt

Kind = Response.RemovalKind
# What a check's flag would be removed as; for any other check nothing is sure.
KIND_OF = {
    "finish_reason": Kind.TRUNCATED,
    "provider_error": Kind.TRUNCATED,
    "empty": Kind.TRUNCATED,
    "refusal": Kind.PROMPT_VIOLATION,
    "tell_tale.self_reference": Kind.IDENTITY_LEAK,
    "tell_tale.model_name": Kind.IDENTITY_LEAK,
    "tell_tale.think_tag": Kind.IDENTITY_LEAK,
    "tell_tale.role_label": Kind.IDENTITY_LEAK,
    "language": Kind.WRONG_LANGUAGE,
    "prompt_echo": Kind.PROMPT_VIOLATION,
    "exact_duplicate": Kind.DUPLICATE,
    "near_duplicate": Kind.DUPLICATE,
    "placeholder_prompt": Kind.PROMPT_VIOLATION,
}
SOURCE_PLACE = re.compile(rf"(.+), ({'|'.join(UNITS)}) ([0-9]+)", re.DOTALL)  # file, unit, number
CHECKS = {check.key: check for check in triage.CHECKS}
ORDER = {check.key: position for position, check in enumerate(triage.CHECKS)}


@dataclass(frozen=True, slots=True)
class FlagLine:
    """One doubt: of a check, with what it saw; or of an annotator, with a kind and a note."""

    title: str
    meaning: str
    detail: str
    note: str
    at: datetime
    state: str
    state_label: str
    settled_by: str
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text in paragraphs: its beginning, and the whole of it where that is more."""

    beginning: tuple[str, ...]
    whole: tuple[str, ...]  # () where the beginning is all, or where the whole is too long for the queue
    characters: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Removal:
    kind: str
    kind_label: str
    reason: str
    by: str
    at: datetime
    for_good: str  # why it cannot be taken back; "" where it can


@dataclass(frozen=True, slots=True)
class Sample:
    model: str
    beginning: str


@dataclass(frozen=True, slots=True)
class Item:
    """A flagged prompt or response. `place` is None where it is shown by itself."""

    place: Place | None
    is_response: bool
    pk: int
    name: str  # external id
    tag: str  # BCP 47, of prompt and text
    genre: str
    model: str
    origin: str  # file and place in it
    prompt: str
    prompt_is_cut: bool
    excerpt: Excerpt
    flags: tuple[FlagLine, ...]
    state: str  # open, kept or removed
    removal: Removal | None
    proposed: str  # kind of removal
    seen: tuple[int, ...]  # the open flags
    responses: int  # of a prompt: active ones
    samples: tuple[Sample, ...]

    @property
    def anchor(self) -> str:
        return f"{'response' if self.is_response else 'prompt'}-{self.pk}"

    @property
    def view(self) -> str:
        """Name of the page that shows it by itself."""
        return "triage_response" if self.is_response else "triage_prompt"

    @property
    def tick(self) -> str:
        """What the box of the item sends: itself, and the flags that the reader saw."""
        return f"{self.pk}:{','.join(map(str, self.seen))}"

    @property
    def is_chinese(self) -> bool:
        return self.tag.startswith("zh")


def proposed_kind(flags: Iterable[Flag]) -> str:
    """As what a person would remove it, by its flags. What an annotator said goes before what a check says."""
    found = list(flags)
    kinds = [flag.kind for flag in found if flag.kind]
    kinds += [
        KIND_OF[flag.check_key]
        for flag in sorted(found, key=lambda flag: ORDER.get(flag.check_key, 0))
        if flag.check_key in KIND_OF
    ]
    return kinds[0] if kinds else Kind.OTHER


def for_good(response: Response, project: Project) -> str:
    """Why a removal can no longer be taken back; "" while it can."""
    if project.sealed_at is None or response.removed_at is None or response.removed_at > project.sealed_at:
        return ""
    return _("A frozen release counts this response as removed, so it stays removed.")


# --- Building ------------------------------------------------------------------------------------


def items(project: Project, places: Sequence[Place]) -> list[Item]:
    """What stands at these places, in their order."""
    of_responses = Response.objects.select_related("prompt__genre", "source", "removed_by")
    responses = of_responses.in_bulk([place.pk for place in places if place.is_response])
    of_prompts = Prompt.objects.select_related("genre", "source")
    prompts = of_prompts.in_bulk([place.pk for place in places if not place.is_response])
    flags = _flags(project, responses, prompts)
    counted = _active(prompts)
    found = []
    for place in places:
        if place.is_response and place.pk in responses:
            found.append(_response(project, responses[place.pk], flags[place.anchor], place))
        elif not place.is_response and place.pk in prompts:
            prompt = prompts[place.pk]
            found.append(_prompt(prompt, flags[place.anchor], place, counted.get(place.pk, 0)))
    return found


def response_item(response: Response) -> Item:
    """One response by itself, with the whole of its text."""
    flags = _flags(response.project, [response.pk], [])
    return _response(response.project, response, flags[f"response-{response.pk}"], None)


def prompt_item(prompt: Prompt) -> Item:
    flags = _flags(prompt.project, [], [prompt.pk])
    counted = _active([prompt.pk])
    return _prompt(prompt, flags[f"prompt-{prompt.pk}"], None, counted.get(prompt.pk, 0))


def item_at(project: Project, is_response: bool, pk: int) -> Item | None:
    """A response or prompt of the project by itself; None where there is none."""
    if is_response:
        response = project.responses.select_related("project", "prompt__genre", "source", "removed_by")
        found = response.exclude(state=Response.State.INCOMING).filter(pk=pk).first()
        return response_item(found) if found else None
    prompt = project.prompts.select_related("project", "genre", "source").filter(pk=pk).first()
    return prompt_item(prompt) if prompt else None


def _flags(project: Project, responses: Iterable[int], prompts: Iterable[int]) -> dict[str, list[Flag]]:
    """By the anchor of what they are about."""
    about = Q(response__in=list(responses)) | Q(prompt__in=list(prompts))
    rows = Flag.objects.filter(about, project=project).select_related("raised_by", "settled_by")
    found: dict[str, list[Flag]] = defaultdict(list)
    for flag in rows.order_by("pk"):
        found[f"response-{flag.response_id}" if flag.response_id else f"prompt-{flag.prompt_id}"].append(flag)
    return found


def _active(prompts: Iterable[int]) -> dict[int, int]:
    active = Response.objects.filter(prompt__in=list(prompts), state=Response.State.ACTIVE)
    return dict(active.order_by().values_list("prompt").annotate(n=Count("pk")))


def _response(project: Project, response: Response, flags: Sequence[Flag], place: Place | None) -> Item:
    prompt = response.prompt
    open_flags = [flag for flag in flags if flag.state == Flag.State.OPEN]
    tag = _tag(prompt, response.text)
    removed = response.state == Response.State.REMOVED
    return Item(
        place=place,
        is_response=True,
        pk=response.pk,
        name=capped(response.external_id),
        tag=tag,
        genre=_genre(prompt),
        model=capped(response.source_model),
        origin=_origin(response),
        prompt=prompt.text[:LONGEST_IN_QUEUE],
        prompt_is_cut=len(prompt.text) > LONGEST_IN_QUEUE,
        excerpt=_excerpt(response.text, tag, in_queue=place is not None),
        flags=tuple(map(_line, flags)),
        state="removed" if removed else "open" if open_flags else "kept",
        removal=_removal(response, project) if removed else None,
        proposed=proposed_kind(open_flags or flags),
        seen=tuple(flag.pk for flag in open_flags),
        responses=0,
        samples=(),
    )


def _prompt(prompt: Prompt, flags: Sequence[Flag], place: Place | None, active: int) -> Item:
    open_flags = [flag for flag in flags if flag.state == Flag.State.OPEN]
    tag = _tag(prompt, prompt.text)
    removed = any(flag.state == Flag.State.REMOVED for flag in flags)
    return Item(
        place=place,
        is_response=False,
        pk=prompt.pk,
        name=capped(prompt.external_id),
        tag=tag,
        genre=_genre(prompt),
        model="",
        origin=_origin(prompt),
        prompt="",
        prompt_is_cut=False,
        excerpt=_excerpt(prompt.text, tag, in_queue=place is not None),
        flags=tuple(map(_line, flags)),
        state="open" if open_flags else "removed" if removed else "kept",
        removal=None,
        proposed=proposed_kind(open_flags or flags),
        seen=tuple(flag.pk for flag in open_flags),
        responses=active,
        samples=_samples(prompt) if active else (),
    )


def _samples(prompt: Prompt) -> tuple[Sample, ...]:
    active = prompt.responses.filter(state=Response.State.ACTIVE).order_by("pk")
    rows = active.values_list("source_model", "text")[:SAMPLES]
    return tuple(Sample(capped(model), capped(text[:EXCERPT], EXCERPT // 2)) for model, text in rows)


def _tag(prompt: Prompt, text: str) -> str:
    counts_characters = lengths.unit_for("auto", prompt.language, prompt.text, text) == "characters"
    return language_tag(prompt.language, counts_characters=counts_characters)


def _genre(prompt: Prompt) -> str:
    return genre_name(prompt.genre, reader_language()) if prompt.genre else ""


def _origin(row: Response | Prompt) -> str:
    if row.source is None:
        return ""
    found = SOURCE_PLACE.fullmatch(row.source_place)
    if found is None:
        return " · ".join(part for part in (name_of(row.source), capped(row.source_place)) if part)
    file, unit, number = found.groups()
    return _("%(file)s, %(place)s") % {"file": capped(file), "place": UNITS[unit] % {"number": number}}


def _excerpt(text: str, tag: str, *, in_queue: bool) -> Excerpt:
    most = EXCERPT_OF_CHINESE if tag.startswith("zh") else EXCERPT
    is_cut = len(text) > most
    is_shown_whole = is_cut and not (in_queue and len(text) > LONGEST_IN_QUEUE)
    return Excerpt(
        beginning=paragraphs(text[:most].rstrip() + "…" if is_cut else text),
        whole=paragraphs(text) if is_shown_whole else (),
        characters=len(text),
        is_cut=is_cut,
    )


def _line(flag: Flag) -> FlagLine:
    check = CHECKS.get(flag.check_key)
    if flag.check_key == BY_ANNOTATOR and flag.raised_by is not None:
        title, meaning = _("Annotator %(name)s") % {"name": flag.raised_by.pseudonym}, ""
        detail = flag.get_kind_display()
    else:
        title = said_of(check.name) if check else capped(flag.check_key)
        meaning = said_of(check.meaning) if check else ""
        detail = capped(said(flag.detail), LONGEST_REASON) if flag.detail else ""
    return FlagLine(
        title=title,
        meaning=meaning,
        detail=detail,
        note=flag.note,
        at=flag.raised_at,
        state=flag.state,
        state_label=flag.get_state_display(),
        settled_by=_person(flag.settled_by),
        settled_at=flag.settled_at,
    )


def _removal(response: Response, project: Project) -> Removal:
    return Removal(
        kind=response.removed_kind,
        kind_label=response.get_removed_kind_display(),
        reason=response.removed_reason,
        by=_person(response.removed_by),
        at=response.removed_at,
        for_good=for_good(response, project),
    )


def _person(user: User | None) -> str:
    return person_name(user) if user else ""
