"""A bar of progress for a terminal, in one line that is written over and taken away again."""

from collections.abc import Callable

from curation.services.watching import Watcher

WIDTH = 24  # characters of the bar
MOST = 78  # of the line
PAUSE = 0.1  # seconds between two looks at it


class Bar(Watcher):
    """Writes on `write`, which adds nothing of its own; `clock` gives seconds."""

    listens = True

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._name = ""
        self._total = 0
        self._next = 0.0
        self._shown = 0

    def stage(self, name: str, total: int = 0) -> None:
        self._name, self._total = name, total
        self._show(0)

    def reach(self, done: int) -> None:
        if self._clock() >= self._next:
            self._show(done)

    def clear(self) -> None:
        """Leave the line as it was found."""
        self._over("")
        self._shown = 0

    def _show(self, done: int) -> None:
        self._over(line(self._name, done, self._total))
        self._next = self._clock() + PAUSE

    def _over(self, text: str) -> None:
        self._write(f"\r{text.ljust(self._shown)}" + ("" if text else "\r"))
        self._shown = len(text)


def line(name: str, done: int, total: int) -> str:
    """What is shown of a stage."""
    if not total:
        return f"{name} ..."[:MOST]
    filled = min(WIDTH, WIDTH * done // total)
    share = min(100, 100 * done // total)
    shown = f" [{'#' * filled}{'.' * (WIDTH - filled)}] {share:3} %  {done:,} of {total:,}"
    return name[: MOST - len(shown)] + shown
