"""A pair as the usual trainers and harnesses read it. `Preferred` is what they need of one, whatever recipe made it."""

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from curation.domain.scored_pairs import Pair
from curation.domain.voted_pairs import VotedPair

QUESTION = "Which of the two responses is better written?"

Messages = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Preferred:
    """One pair. `margin` is the difference of the means, or of the upvotes as a share of the chosen side's."""

    id: str
    prompt_id: str
    prompt: str
    chosen_text: str
    rejected_text: str
    margin: float
    genre: str
    language: str


def of_pair(pair: Pair | VotedPair) -> Preferred:
    """What trainers need of a pair of a release."""
    if isinstance(pair, VotedPair):
        margin = Fraction(pair.upvotes_chosen - pair.upvotes_rejected, pair.upvotes_chosen or 1)
    else:
        margin = Fraction(*pair.gap)
    return Preferred(
        pair.id,
        pair.prompt_id,
        pair.prompt,
        pair.chosen_text,
        pair.rejected_text,
        float(margin),
        pair.genre,
        pair.language,
    )


def preference(pair: Preferred) -> dict[str, object]:
    """A row of `preference`: both sides as whole conversations, the prompt in each, so that TRL finds it as what they
    have in common and rewardbench as their first message."""
    return {
        "id": pair.id,
        "prompt_id": pair.prompt_id,
        "chosen": _conversation(pair.prompt, pair.chosen_text),
        "rejected": _conversation(pair.prompt, pair.rejected_text),
        "margin": pair.margin,
        "genre": pair.genre,
        "language": pair.language,
    }


def choice(pair: Preferred) -> dict[str, object]:
    """A row for inspect-ai: two choices and which is right. Which stands first follows from a hash of the id, so it is
    the same in every copy and says nothing."""
    first = chosen_is_first(pair.id)
    texts = [pair.chosen_text, pair.rejected_text]
    return {
        "id": pair.id,
        "input": f"{QUESTION}\n\n{pair.prompt}" if pair.prompt else QUESTION,
        "choices": texts if first else texts[::-1],
        "target": "A" if first else "B",
        "metadata": {
            "prompt_id": pair.prompt_id,
            "genre": pair.genre,
            "language": pair.language,
            "margin": pair.margin,
        },
    }


def chosen_is_first(pair_id: str) -> bool:
    return sha256(pair_id.encode()).digest()[0] & 1 == 0


def open_id(prompt: str, one: str, other: str) -> str:
    """An id of the pair that says nothing of which response was chosen: the lower one as bytes stands first."""
    return ":".join((prompt, *sorted((one, other))))


def _conversation(prompt: str, answer: str) -> Messages:
    return [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
