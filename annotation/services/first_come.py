"""Storing what may arrive twice at the same moment: sent by two clicks, by two tabs, or again after a lost answer."""

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError
from django.utils.translation import gettext as _

from annotation.errors import DomainError

ATTEMPTS = 3

Judgement = TypeVar("Judgement")


def once(find: Callable[[], Judgement | None], store: Callable[[], Judgement]) -> Judgement:
    """What is stored already, else what this call stores, else what another stored meanwhile.

    `store` is a transaction of its own; a constraint tells it that somebody else was first.
    """
    for _attempt in range(ATTEMPTS):
        found = find()
        if found is not None:
            return found
        try:
            return store()
        except IntegrityError:
            # The same form, or another tab on the same slot; the next look tells which.
            continue
    raise DomainError("busy", _("Many people are submitting at once. Try again in a moment."))


def changed_elsewhere() -> DomainError:
    return DomainError(
        "changed_elsewhere",
        _("You have changed this answer in another window meanwhile. Open it again, and change it there."),
    )


def nothing_to_change() -> DomainError:
    return DomainError("nothing_to_change", _("Nothing was submitted here yet, so nothing can be changed."))
