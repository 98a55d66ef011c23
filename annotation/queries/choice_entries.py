"""What stands in the form of a vote or a choice when its page is opened: a draft, a given answer, nothing."""

from dataclasses import dataclass
from typing import Protocol

from annotation.models import Draft, Lease
from annotation.queries.scoring_page import Entry


class Given(Protocol):
    """An annotator's own answer as it is stored."""

    @property
    def value(self) -> str: ...
    @property
    def justification(self) -> str: ...
    @property
    def revision(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Begun:
    value: str
    justification: str
    based_on: int  # the revision that is being changed; 0 for a first answer
    version: int  # of the draft on the server; 0 for none
    active: int = 0  # seconds at work on it, on pages that are closed by now


def begun(lease: Lease, given: Given | None) -> Begun:
    """A draft of an answer that came in meanwhile is none any more."""
    based_on = given.revision if given else 0
    draft = Draft.objects.filter(lease=lease).first()
    entry = Entry.read(draft.content) if draft else Entry()
    if draft is not None and entry.based_on == based_on:
        return Begun(entry.value, entry.justification, based_on, draft.version, entry.active)
    version = draft.version if draft else 0
    if given is None:
        return Begun("", "", 0, version)
    return Begun(given.value, given.justification, based_on, version)
