"""Finds a Chromium for the browser tests, or installs one: python -m tests.chromium

In this order: the one that CHROMIUM names, an installed one, Debian's package where apt may be used, the
build that Playwright offers. Where none can be had the tests fail; they are never left out in silence.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PACKAGES = ("chromium", "fonts-noto-cjk")  # the fonts, because half of the demo's texts are Chinese
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FLAGS_OF_ROOT = ("--no-sandbox", "--disable-dev-shm-usage")


class NoChromiumError(Exception):
    """There is no Chromium and none can be installed."""


def flags() -> list[str]:
    return [*FLAGS, *(FLAGS_OF_ROOT if os.geteuid() == 0 else ())]


def executable(playwright: Playwright) -> Path:
    """The browser to start; installs it where there is none. One process at a time installs."""
    found = _named() or _installed(playwright)
    if found:
        return found
    lock = Path(tempfile.gettempdir()) / f"plumb-chromium-{os.geteuid()}.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = _installed(playwright) or _from_apt() or _from_playwright(playwright)
    if found:
        return found
    raise NoChromiumError(
        "The browser tests need Chromium, and neither apt nor Playwright could install it: "
        "install chromium or Google Chrome, or set CHROMIUM to the path of one."
    )


def _named() -> Path | None:
    name = os.environ.get("CHROMIUM", "")
    if name and not _starts(Path(name)):
        raise NoChromiumError(f"CHROMIUM is {name!r}, which does not start: give the path of a Chromium.")
    return Path(name) if name else None


def _installed(playwright: Playwright) -> Path | None:
    of_playwright = Path(playwright.chromium.executable_path)
    paths = [Path(path) for path in map(shutil.which, NAMES) if path]
    return next((path for path in [*paths, of_playwright] if _starts(path)), None)


def _starts(path: Path) -> bool:
    """Ubuntu's chromium-browser is there without a browser in it: its words would not name a version."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0 and any(character.isdigit() for character in said.stdout)


def _from_apt() -> Path | None:
    rights = _rights()
    if rights is None or not shutil.which("apt-get"):
        return None
    quietly = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    _run([*quietly, "update"])
    _run([*quietly, "install", "--yes", "--no-install-recommends", *PACKAGES])
    return next((Path(path) for path in map(shutil.which, NAMES) if path and _starts(Path(path))), None)


def _rights() -> list[str] | None:
    """What to put before a command that root must run; None where this person may not."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    return sudo if shutil.which("sudo") and _run([*sudo, "true"]) else None


def _from_playwright(playwright: Playwright) -> Path | None:
    _run([sys.executable, "-m", "playwright", "install", "chromium"])
    path = Path(playwright.chromium.executable_path)
    return path if _starts(path) else None


def _run(command: list[str]) -> bool:
    """Output is shown by pytest where a test fails, and left alone otherwise."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


if __name__ == "__main__":
    with sync_playwright() as running:
        try:
            sys.stdout.write(f"{executable(running)}\n")
        except NoChromiumError as error:
            sys.exit(str(error))
