"""Celery's messages in a folder, where there is no Redis: as Kombu keeps them, but nobody ever reads half of one."""

from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

SCHEME = "folder"  # of the broker's address


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: dict[str, Any], **kwargs: object) -> None:
        """Write a message beside its name, then give it the name.

        Kombu opens the file under the name that readers look for. One that looks at that moment takes an empty file
        away, and its worker ends.
        """
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        message = Path(self.data_folder_out) / name
        begun = message.with_name(f"{name}.begun")
        try:
            begun.write_bytes(dumps(payload).encode())
            begun.replace(message)
        except OSError as error:
            begun.unlink(missing_ok=True)
            raise ChannelError(f"Cannot add file {str(message)!r} to directory") from error


class Transport(filesystem.Transport):
    Channel = Channel


def register() -> None:
    """Kombu finds transports by the scheme of an address; it keeps nothing else over a connection that is lost."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
