"""Accepted pairs as the audit takes them: the texts of both sides, and what is known of where they come from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from annotation.domain.material import ResponseRow


@dataclass(frozen=True, slots=True)
class PairRow:
    """`chosen` and `rejected` are ids of responses; one id has one text and one model wherever it stands.

    What is empty is not known. Without a prompt a name that it asks for counts as a leak, and without a language
    the letters decide in which unit lengths are compared (annotation/domain/text.py).
    """

    id: str
    prompt_id: str
    chosen: str
    rejected: str
    chosen_text: str
    rejected_text: str
    prompt: str = ""
    genre: str = ""
    language: str = ""
    chosen_model: str = ""
    rejected_model: str = ""


class Accepted(Protocol):
    """What is read of a pair: outcome.Pair has it, and so has a row of a release under the same names."""

    @property
    def id(self) -> str: ...
    @property
    def prompt_id(self) -> str: ...
    @property
    def chosen(self) -> str: ...
    @property
    def rejected(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def chosen_text(self) -> str: ...
    @property
    def rejected_text(self) -> str: ...


class _Origin(NamedTuple):
    genre: str
    language: str
    model: str


class Joined(Iterable[PairRow]):
    """Accepted pairs, such as outcome.Pairs, with the facts of their responses; made one at a time, as often as asked.

    A response that is not among `responses` has no known genre, language and model.
    """

    def __init__(self, pairs: Iterable[Accepted], responses: Iterable[ResponseRow]) -> None:
        self._pairs = pairs
        self._origins = {row.id: _Origin(row.genre, row.language, row.model) for row in responses}

    def __iter__(self) -> Iterator[PairRow]:
        nowhere = _Origin("", "", "")
        for pair in self._pairs:
            chosen = self._origins.get(pair.chosen, nowhere)
            rejected = self._origins.get(pair.rejected, nowhere)
            yield PairRow(
                id=pair.id,
                prompt_id=pair.prompt_id,
                chosen=pair.chosen,
                rejected=pair.rejected,
                chosen_text=pair.chosen_text,
                rejected_text=pair.rejected_text,
                prompt=pair.prompt,
                genre=chosen.genre or rejected.genre,
                language=chosen.language or rejected.language,
                chosen_model=chosen.model,
                rejected_model=rejected.model,
            )
