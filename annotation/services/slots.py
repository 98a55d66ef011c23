"""Slots as they are made: each with its prompt, and in its place of the shuffled circle of the round."""

from collections.abc import Collection

from annotation.domain import order
from annotation.models import Assignment, Response, Round


def of_response(work: Round, response: int, prompt: int, number: int, **columns: object) -> Assignment:
    """A slot for a score, to be stored."""
    return Assignment(
        round=work,
        prompt_id=prompt,
        response_id=response,
        slot=number,
        place=order.place(str(work.pk), str(response)),
        **columns,
    )


def of_prompt(work: Round, prompt: int, number: int, **columns: object) -> Assignment:
    """A slot for a ranking of all its responses, or for a vote on the prompt itself."""
    place = order.place(str(work.pk), str(prompt))
    return Assignment(round=work, prompt_id=prompt, slot=number, place=place, **columns)


def of_pair(work: Round, pair: tuple[int, int], prompt: int, number: int, **columns: object) -> Assignment:
    """A slot for a vote on two responses, in whichever order they are named."""
    older, newer = sorted(pair)
    return Assignment(
        round=work,
        prompt_id=prompt,
        response_id=older,
        other_id=newer,
        slot=number,
        place=order.place(str(work.pk), f"{older}-{newer}"),
        **columns,
    )


def prompts_of(responses: Collection[int]) -> dict[int, int]:
    """The prompt of each response."""
    return dict(Response.objects.filter(pk__in=responses).values_list("pk", "prompt"))
