"""Child processes of the tests: each dies with the process that started it, whatever ends that one."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LEASH = ROOT / "config" / "leash.py"


class CannotStartError(Exception):
    """A server or a worker that the tests need does not start; the text says why and what to do."""


def start(
    command: Sequence[str | Path],
    *,
    log: Path,
    env: Mapping[str, str],
    dying: signal.Signals = signal.SIGTERM,
    user: str = "",
    cwd: Path = ROOT,
) -> subprocess.Popen[bytes]:
    """A process of its own session, so that Ctrl-C reaches the tests alone and they stop it in order.

    It is sent the signal `dying` when its parent ends, even by SIGKILL. Root may name another `user` to run
    it as. Its output goes to `log`.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-IS", str(LEASH), str(dying.value), user, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes], *, by: signal.Signals = signal.SIGTERM, grace: float = 15) -> None:
    """Asks, waits `grace` seconds, then kills the process and what it started."""
    if process.poll() is None:
        process.send_signal(by)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def running(
    command: Sequence[str | Path],
    *,
    log: Path,
    env: Mapping[str, str],
    by: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    process = start(command, log=log, env=env)
    try:
        yield process
    finally:
        stop(process, by=by)


def wait_until(
    condition: Callable[[], object],
    what: str,
    *,
    seconds: float = 30,
    process: subprocess.Popen[bytes] | None = None,
    log: Path | None = None,
) -> None:
    """Returns as soon as `condition` holds; gives up when time is over or `process` has ended."""
    deadline = time.monotonic() + seconds
    while not condition():
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > deadline:
            how = f"ended with {process.returncode}" if process and ended else f"took over {seconds:.0f} s"
            raise CannotStartError(f"{what}: {how}.{_end_of(log)}")
        time.sleep(0.02)


def _end_of(log: Path | None) -> str:
    if log is None or not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:]
    return f" The end of {log.name}:\n" + "\n".join(lines)
