"""Keys of models: they stand in the environment of the worker, or in a file that it names, and nowhere else."""

import re
from collections.abc import Mapping
from pathlib import Path

from annotation.domain.sentences import say
from annotation.errors import DomainError

# No other variable can be named, so that no page can have the site send its own secrets to a server.
NAME = re.compile(r"\APLUMB_MODEL_KEY_[A-Z0-9_]{1,60}\Z")


def is_there(name: str, environ: Mapping[str, str]) -> bool:
    try:
        read(name, environ)
    except DomainError:
        return False
    return True


def read(name: str, environ: Mapping[str, str]) -> str:
    """The key of that name. DomainError, which never holds the key, where there is none."""
    path = environ.get(f"{name}_FILE", "")
    found = environ.get(name, "")
    if NAME.match(name) and not found and path:
        try:
            found = Path(path).read_text(encoding="utf-8").partition("\n")[0]
        except (OSError, UnicodeError):
            found = ""
    if not NAME.match(name) or not found.strip():
        message = say("The variable {name}, or {name}_FILE, has to hold the key of the model.", name=name)
        raise DomainError("key_missing", message)
    return found.strip()
