"""Who wants to know how far something is."""


class Watcher:
    """Is told of each stage and how much of it is done. This one tells nobody, and nothing is counted for it."""

    listens = False

    def stage(self, name: str, total: int = 0) -> None:
        """A stage begins, of so many steps; 0: nobody knows how many."""

    def reach(self, done: int) -> None:
        """So many steps of the stage are done."""


NOBODY = Watcher()
