"""How much data a run takes."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Sizes:
    """Targets are for those of a full run; with less, ratios are shown and held against nothing."""

    texts: int = 100_000
    many_texts: int = 1_000_000
    games: int = 100_000
    items: int = 50
    prompts: int = 100_000  # that are ranked
    peers_prompts: int = 1_000  # of them, by peers that take one at a time
    paired: int = 1_000_000  # responses in groups of 200
    candidates: tuple[int, ...] = (100_000, 1_000_000, 10_000_000, 100_000_000)
    paper: int = 20_000  # responses of a release from files
    stored: int = 60_000  # scores in a database
    growth: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)  # scores
    runs: int = 5
    slow_runs: int = 3  # of what takes a peer a second or more
    is_full: bool = True

    def shrunk(self, times: int) -> "Sizes":
        return replace(
            self,
            texts=self.texts // times,
            many_texts=self.many_texts // times,
            games=self.games // times,
            items=10,
            prompts=self.prompts // times,
            peers_prompts=max(10, self.peers_prompts // times),
            paired=self.paired // times,
            candidates=tuple(size // times for size in self.candidates),
            paper=self.paper // times,
            stored=self.stored // times,
            growth=tuple(size // times for size in self.growth),
            runs=1,
            slow_runs=1,
            is_full=False,
        )


FULL = Sizes()
QUICK = replace(
    FULL,
    texts=20_000,
    many_texts=100_000,
    prompts=20_000,
    paired=50_000,
    candidates=FULL.candidates[:2],
    paper=3_000,
    stored=1_500,
    peers_prompts=200,
    growth=FULL.growth[:3],
    runs=3,
    slow_runs=1,
    is_full=False,
)
