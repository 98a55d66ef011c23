"""How a prompt goes round: from a blueprint to a version that two people accepted, and what changed on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.domain.rubric_diff import Kind, pieces

REVIEWERS = 2

Settled = Literal["in_review", "accepted", "changes_asked"]
Field = Literal["title", "text", "blueprint", "constraints", "intended_length"]
FIELDS: tuple[Field, ...] = ("title", "text", "blueprint", "constraints", "intended_length")
NEEDED = frozenset({"title", "text", "blueprint"})


@dataclass(frozen=True, slots=True)
class Content:
    """What is handed in for review. `intended_length` counts words, or characters of Chinese; None where open."""

    title: str
    text: str
    blueprint: str
    constraints: str = ""
    intended_length: int | None = None

    def of(self, field: Field) -> str:
        """A field as it is read; "" where nothing is given."""
        value = getattr(self, field)
        return "" if value is None else str(value)


def settled(accepting: Sequence[bool]) -> Settled:
    """The state that the reviews of a version lead to, one for each person: it waits until two have spoken.

    So nobody's review can follow another's: the first one said moves nothing.
    """
    if len(accepting) < REVIEWERS:
        return "in_review"
    return "accepted" if all(accepting) else "changes_asked"


def after_edit(state: str, text: str) -> str:
    """The state of a prompt whose text is now this: a blueprint becomes a draft with the first word of it."""
    return "draft" if state == "blueprint" and text.strip() else state


def missing(content: Content) -> tuple[Field, ...]:
    """Fields that have to be filled before the prompt can be reviewed."""
    return tuple(field for field in FIELDS if field in NEEDED and not content.of(field).strip())


# --- Names ---------------------------------------------------------------------------------------


def prompt_ids(key: str, *, number: int, is_first: bool) -> tuple[str, ...]:
    """Ids for the prompt that an accepted version becomes, the first free one of which it gets.

    An id may be gone to an import since the key was chosen.
    """
    versioned = f"{key}-v{number}"
    return (*([key] if is_first else []), versioned, *(f"{versioned}-{again}" for again in range(2, 100)))


# --- Differences ---------------------------------------------------------------------------------


def differences(older: str, newer: str) -> list[tuple[Kind, str]]:
    """Stretches of the newer text, with what is new ("inserted") and what is gone ("deleted") marked word by word;
    Chinese by characters. Those that are not deleted make up the newer text."""
    return [(piece.kind, piece.text) for piece in pieces(older, newer)]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field of two versions; `pieces` is one equal stretch where nothing changed, and () where it is empty."""

    field: Field
    pieces: tuple[tuple[Kind, str], ...]

    @property
    def is_changed(self) -> bool:
        return any(kind != "equal" for kind, _ in self.pieces)


def compared(older: Content | None, newer: Content) -> tuple[FieldDifference, ...]:
    """Every field of the newer content. Beside nothing, all of it stands as it is: a first version changes none."""
    return tuple(
        FieldDifference(
            field,
            tuple(differences((older or newer).of(field), newer.of(field))),
        )
        for field in FIELDS
    )
