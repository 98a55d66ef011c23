"""The processes that the demo owns: started together, watched together, stopped together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings

LEASH = settings.BASE_DIR / "config" / "leash.py"
STOP_SECONDS = 10.0
GLANCE_SECONDS = 0.05


class ChildStopped(Exception):
    """A child ended while it was needed."""


class Children:
    """A context that leaves no process behind, whichever way it is left."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, Path] = {}

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self, name: str, command: Sequence[str], *, log: Path) -> None:
        # A session of its own: Ctrl-C in the terminal reaches the parent alone, which stops them in order.
        # On a leash: it ends with the parent even where that is killed.
        leashed = [sys.executable, "-IS", str(LEASH), str(signal.SIGTERM.value), "", *command]
        with log.open("ab") as output:
            self._running[name] = subprocess.Popen(
                leashed, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        self._logs[name] = log

    def wait_until(self, reached: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Return once `reached`; raise ChildStopped when a child dies or the time is over."""
        deadline = time.monotonic() + seconds
        while not reached():
            self.check()
            if time.monotonic() > deadline:
                raise ChildStopped(
                    f"{what} took more than {seconds:.0f} s. See the logs in {self._folder()}."
                )
            time.sleep(GLANCE_SECONDS)

    def watch(self) -> None:
        """Until a child dies or a signal interrupts."""
        while True:
            self.check()
            time.sleep(0.5)

    def check(self) -> None:
        for name, child in self._running.items():
            if child.poll() is not None:
                raise ChildStopped(f"The {name} stopped by itself. Its log is {self._logs[name]}.")

    def stop(self) -> None:
        for child in self._running.values():
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._running.values():
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self._running.clear()

    def _folder(self) -> Path:
        return next(iter(self._logs.values())).parent
