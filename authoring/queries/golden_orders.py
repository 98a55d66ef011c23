"""The order of responses that a dropout gives a prompt, best first, and what a program can say of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.text import length, unit_for
from annotation.models import Prompt, Requirement, Response
from authoring.domain.countable import Check, holds, number
from authoring.domain.sanity import Held, Mean, means
from authoring.models import ModelRequest, Plan, RequirementCheck
from authoring.queries.requirements import check_of

MOST_PROMPTS = 100  # of a plan whose texts are counted while somebody waits
MOST_CHOICES = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """One order among those of the prompt; `key` stands in an address."""

    key: str
    plan: str
    source: str
    sample: int


@dataclass(frozen=True, slots=True)
class Checked:
    position: int
    check: Check
    counted: int
    holds: bool
    is_asked: bool  # of the text; a requirement that was left out may hold by chance


@dataclass(frozen=True, slots=True)
class Asked:
    position: int
    text: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Variant:
    """`length` is None where there is no response yet; `unit` is words or characters."""

    number: int
    requirements: tuple[Asked, ...]
    kept: int
    state: str  # of the request
    length: int | None
    unit: str
    is_removed: bool
    checks: tuple[Checked, ...]


@dataclass(frozen=True, slots=True)
class Order:
    choice: Choice
    variants: tuple[Variant, ...]
    means: tuple[Mean, ...]  # over prompts of the plan, of this source and sample
    prompts: int  # of them
    prompts_in_all: int

    @property
    def is_complete(self) -> bool:
        return all(each.length is not None and not each.is_removed for each in self.variants)


def choices(prompt: Prompt) -> list[Choice]:
    """The newest plan first; its sources by name."""
    rows = _answered(prompt).order_by("-plan", "source__public_name", "source", "sample")
    told = rows.values_list("plan", "plan__name", "source", "source__public_name", "sample").distinct()
    return [
        Choice(f"{plan}-{source}-{sample}", name, public_name, sample)
        for plan, name, source, public_name, sample in told[:MOST_CHOICES]
    ]


def order(prompt: Prompt, chosen: Choice) -> Order:
    plan, source, sample = map(int, chosen.key.split("-"))
    of_plan = ModelRequest.objects.filter(plan=plan, source=source, sample=sample)
    requests = of_plan.filter(prompt=prompt).select_related("response").prefetch_related("kept")
    requirements = list(prompt.requirements.select_related("check_by_program").order_by("position"))
    shown = tuple(_variant(prompt, each, requirements) for each in requests.order_by("variant"))
    held, prompts, in_all = _held(of_plan)
    return Order(chosen, shown, means(held), prompts, in_all)


def _answered(prompt: Prompt) -> QuerySet[ModelRequest]:
    return ModelRequest.objects.filter(
        prompt=prompt, plan__kind=Plan.Kind.DROPOUT, response__isnull=False
    ).order_by()


def _variant(prompt: Prompt, request: ModelRequest, requirements: Sequence[Requirement]) -> Variant:
    kept = {each.pk for each in request.kept.all()}
    text = request.response.text if request.response else None
    unit = unit_for("auto", prompt.language, prompt.text, text or "")
    return Variant(
        number=request.variant,
        requirements=tuple(Asked(each.position, each.text, each.pk in kept) for each in requirements),
        kept=len(kept),
        state=request.state,
        length=None if text is None else length(text, unit),
        unit=unit,
        is_removed=bool(request.response and request.response.state == Response.State.REMOVED),
        checks=() if text is None else tuple(_checked(prompt, text, requirements, kept)),
    )


def _checked(
    prompt: Prompt, text: str, requirements: Iterable[Requirement], kept: set[int]
) -> Iterable[Checked]:
    for each in requirements:
        check = check_of(each)
        if check is not None:
            counted, is_held = number(check, text, prompt.language), holds(check, text, prompt.language)
            yield Checked(each.position, check, counted, is_held, each.pk in kept)


def _held(of_plan: QuerySet[ModelRequest]) -> tuple[list[Held], int, int]:
    """What holds in the texts of the first prompts that have a check; of how many, and of how many in all."""
    there = RequirementCheck.objects.filter(requirement__prompt=OuterRef("prompt"))
    with_checks = of_plan.filter(Exists(there), response__isnull=False).exclude(
        response__state=Response.State.REMOVED
    )
    prompts = list(
        with_checks.order_by("prompt__external_id", "prompt").values_list("prompt", flat=True).distinct()
    )
    taken = prompts[:MOST_PROMPTS]
    checks: dict[int, list[tuple[int, Check]]] = {pk: [] for pk in taken}
    checked = Requirement.objects.filter(prompt__in=taken, check_by_program__isnull=False)
    for each in checked.select_related("check_by_program"):
        checks[each.prompt_id].append((each.pk, check_of(each)))
    rows = with_checks.filter(prompt__in=taken).select_related("response", "prompt").prefetch_related("kept")
    return (
        [_held_of(row, checks[row.prompt_id]) for row in rows.iterator(chunk_size=200)],
        len(taken),
        len(prompts),
    )


def _held_of(row: ModelRequest, checks: Iterable[tuple[int, Check]]) -> Held:
    kept = {each.pk for each in row.kept.all()}
    found = [(pk in kept, holds(check, row.response.text, row.prompt.language)) for pk, check in checks]
    return Held(
        row.variant,
        asked=tuple(is_held for is_asked, is_held in found if is_asked),
        left_out=tuple(is_held for is_asked, is_held in found if not is_asked),
    )
