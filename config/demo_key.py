"""The demo's own secret key. It must exist before the settings are read."""

import os
import secrets
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def ensure() -> None:
    """Write a key that only its owner can read, unless there is one."""
    data = Path(os.environ.get("DATA_DIR") or BASE_DIR / ".data")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = data / "secret_key"
    if path.exists():
        return
    part = data / f"secret_key.{os.getpid()}"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(50))
    part.replace(path)
