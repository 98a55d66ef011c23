"""The log of requests, without what opens something: links of invitations and of new passwords."""

import re
from typing import Any

from gunicorn.glogging import Logger

SECRET = re.compile(r"(/invitations/|/password/new/)[^\s\"?]+")
OF_ADDRESSES = ("r", "U", "f", "{referer}i")


def masked(line: str) -> str:
    """The same line with the links cut short."""
    return SECRET.sub(r"\1...", line)


class AccessLog(Logger):
    def atoms(self, *args: Any) -> dict[str, Any]:
        found = super().atoms(*args)
        return {**found, **{key: masked(str(found[key])) for key in OF_ADDRESSES if found.get(key)}}
