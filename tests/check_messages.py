"""Every sentence of the interface stands in the Chinese catalogue, translated and not merely guessed.

python -m tests.check_messages
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
PO = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
KEYWORDS = "gettext_lazy ngettext_lazy:1,2 pgettext_lazy:1c,2 say"
SOURCES = ("annotation", "api", "authoring", "config", "curation", "templates")


def findings(po: Path = PO) -> list[str]:
    """What is missing in the catalogue, and what stands in it without a translation or as a guess."""
    kept = {_key(message): message for message in _read(po) if message.id}
    found = [f"{_words(message)}: make messages has not collected it" for message in _missing(kept)]
    for message in kept.values():
        if message.fuzzy:
            found.append(f"{_words(message)}: its translation is a guess")
        elif not all([message.string] if isinstance(message.string, str) else message.string):
            found.append(f"{_words(message)}: it is not translated")
    return found


def _missing(kept: dict[tuple[str, str], Message]) -> Iterator[Message]:
    return (message for message in _extracted() if message.id and _key(message) not in kept)


def _extracted() -> Catalog:
    """The texts that `make messages` would collect now."""
    with tempfile.TemporaryDirectory() as folder:
        pot = Path(folder) / "django.pot"
        command = [sys.executable, "-m", "babel.messages.frontend", "--quiet", "extract"]
        command += ["--mapping", "config/babel.cfg", "--keywords", KEYWORDS, "--output", str(pot), *SOURCES]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return _read(pot)


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def _key(message: Message) -> tuple[str, str]:
    return message.context or "", _words(message)


def _words(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


if __name__ == "__main__":
    sys.exit("\n".join(findings()) or 0)
