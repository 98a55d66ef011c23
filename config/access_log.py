"""The log of requests, without what opens something: links of invitations and of new passwords, and tokens, which
some write into an address although it is refused there."""

import re
from typing import Any

from gunicorn.glogging import Logger

SECRET = re.compile(r"(/invitations/|/password/new/|plumb(?:_|%5f))[^\s\"?&#]+", re.IGNORECASE)
OF_ADDRESSES = ("r", "U", "f", "{referer}i")


def masked(line: str) -> str:
    """The same line with the links cut short."""
    return SECRET.sub(r"\1...", line)


class AccessLog(Logger):
    def atoms(self, *args: Any) -> dict[str, Any]:
        found = super().atoms(*args)
        return {**found, **{key: masked(str(found[key])) for key in OF_ADDRESSES if found.get(key)}}
