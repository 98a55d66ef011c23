"""`make load`: annotators at work on the site as in production, measured and checked.

Each run goes over a database of its own. It fails where a response has more or fewer than its scores, a score stands
twice, or one that was acknowledged is lost; times are printed beside the recorded anchors and fail nothing.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from tests.load import site as sites
from tests.load.browser import Browser, Worked, work
from tests.load.check import Verdict, check
from tests.load.site import Site

MIB = 1024 * 1024
DONE, OF = 5_000, 20_000  # texts of a long round
LONGER = 4  # times as many texts where something is killed, or the work would end long before the last of the kills
BETWEEN_KILLS = 2.5  # seconds; so that one of two web processes has come up again before the other is killed
# 2,000 texts of 800 words, 16 annotators without think time, on two cores: trips/s, p95 in ms, CPU ms a trip, MiB.
ANCHORS = (
    ("Label Studio 1.23, PostgreSQL", "4.7", "3,700", "232-369", "1,126"),
    ("Potato 2.12", "14.2", "1,550", "66-88", "287"),
    ("doccano 1.8.4, PostgreSQL", "17.3", "1,200", "53-72", "737"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    database: str
    annotators: int
    responses: int
    think: float = 0.0
    seconds: float = 600.0  # after which nobody begins another text
    web_kills: int = 0
    server_stops: int = 0
    updates: int = 0  # in which the site is asked to end and served anew

    @property
    def faults(self) -> int:
        return self.web_kills + self.server_stops + self.updates

    @property
    def name(self) -> str:
        parts = [self.database, f"{self.annotators} annotators", f"{self.responses} x 3"]
        parts += [f"{self.think:g} s think time"] if self.think else []
        parts += [f"{self.web_kills} kills"] if self.web_kills else []
        parts += [f"{self.server_stops} stops"] if self.server_stops else []
        parts += [f"{self.updates} updates"] if self.updates else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Measured:
    is_whole: bool  # it came to its end before the time was over
    trips: int
    seconds: float
    median_ms: float
    p95_ms: float
    cpu_ms: float  # of the web processes and the database, for each trip
    client_cpu_ms: float
    web_mib: float
    database_mib: float
    errors: tuple[str, ...]
    log: str  # the end of the site's, where there were errors
    crashes: int
    verdict: Verdict

    @property
    def is_sound(self) -> bool:
        missing = self.is_whole and self.verdict.incomplete
        return self.verdict.is_sound and not missing and not self.errors


def plans(*, responses: int) -> list[Plan]:
    """Both databases: 16 and 64 annotators, then with think time, then with faults."""
    found = []
    for database in ("sqlite", "postgresql"):
        found += [Plan(database, 16, responses), Plan(database, 64, responses)]
    found.append(Plan("postgresql", 16, responses, think=5.0, seconds=60.0))
    found.append(Plan("sqlite", 16, responses, think=5.0, seconds=60.0))
    found.append(Plan("sqlite", 16, LONGER * responses, web_kills=60, updates=3))
    found.append(Plan("postgresql", 16, LONGER * responses, web_kills=60, server_stops=3))
    return found


def run(plan: Plan) -> Measured:
    with tempfile.TemporaryDirectory(prefix="plumb-load-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs as somebody else where this runs as root
        with sites.running(
            folder, database=plan.database, annotators=plan.annotators, responses=plan.responses
        ) as (site, made):
            return _measured(plan, site, made)


def _measured(plan: Plan, site: Site, made: dict) -> Measured:
    done, spent, at_peak = asyncio.run(_all_at_work(plan, site, made))
    held = site.stored()
    times = sorted(each for one in done for each in one.seconds)
    verdict = check(
        [sent for one in done for sent in one.acknowledged],
        scores=[tuple(row) for row in held["scores"]],
        leases=[tuple(row) for row in held["leases"]],
        responses=plan.responses,
    )
    cuts = quantiles(times, n=20)
    errors = tuple(error for one in done for error in one.errors)
    return Measured(
        is_whole=spent.seconds < plan.seconds,
        trips=len(times),
        seconds=spent.seconds,
        median_ms=1000 * cuts[9],
        p95_ms=1000 * cuts[18],
        cpu_ms=1000 * spent.server_cpu / len(times),
        client_cpu_ms=1000 * spent.client_cpu / len(times),
        web_mib=at_peak[0] / MIB,
        database_mib=at_peak[1] / MIB,
        errors=errors,
        log=site.last_words() if errors else "",
        crashes=len(site.crashes),
        verdict=verdict,
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """From when everybody has signed in and seen a page, so that passwords and first pages do not count, to the end."""

    seconds: float
    server_cpu: float  # those that were killed took theirs with them, up to what the one that watches reaped
    client_cpu: float

    @classmethod
    def so_far(cls, site: Site) -> "Spent":
        return cls(time.monotonic(), site.cpu_seconds(), _own_cpu())

    def until_now(self, site: Site) -> "Spent":
        now = Spent.so_far(site)
        return Spent(
            now.seconds - self.seconds, now.server_cpu - self.server_cpu, now.client_cpu - self.client_cpu
        )


async def _all_at_work(plan: Plan, site: Site, made: dict) -> tuple[list[Worked], Spent, tuple[int, int]]:
    browsers = [Browser("127.0.0.1", site.port) for _ in range(plan.annotators)]
    for browser, name in zip(browsers, made["names"], strict=True):
        await browser.sign_in(name, made["password"])
        await browser.page("/")
    began = Spent.so_far(site)
    until = time.monotonic() + plan.seconds
    faults = asyncio.create_task(_faults(plan, site))
    at_work = [
        asyncio.create_task(
            work(
                browser,
                made["round"],
                value_of=_value_of,
                think=plan.think,
                until=until,
                later=plan.think * number / plan.annotators,  # nobody reads in step with the others
            )
        )
        for number, browser in enumerate(browsers)
    ]
    seen: list[tuple[int, int]] = []
    peak = asyncio.create_task(_watch_memory(site, seen))
    try:
        done = await asyncio.gather(*at_work)
    finally:
        faults.cancel()
        peak.cancel()
        for browser in browsers:
            await browser.hang_up()
    at_peak = max(web for web, _database in seen), max(database for _web, database in seen)
    return done, began.until_now(site), at_peak


async def _watch_memory(site: Site, seen: list[tuple[int, int]]) -> None:
    while True:
        seen.append(site.memory())
        await asyncio.sleep(2)


def _value_of(path: str) -> int:
    """The same for the same hand-out, whenever it is sent."""
    return sum(path.encode()) % 4


async def _faults(plan: Plan, site: Site) -> None:
    """Web processes killed one after another; in between PostgreSQL stopped at once, or the site served anew."""
    if not plan.web_kills:
        return
    every = plan.web_kills // (plan.server_stops + plan.updates + 1)
    for number in range(1, plan.web_kills + 1):
        await asyncio.sleep(BETWEEN_KILLS)
        site.kill_a_web_process(number)
        if number % every or number == plan.web_kills:
            continue
        # From this thread: what is started ends with the thread that started it.
        if plan.server_stops:
            site.stop_postgresql_at_once()
        if plan.updates:
            site.serve_anew()


def _say_claims(database: str) -> None:
    """What it costs to be given the next text, far into a long round."""
    with tempfile.TemporaryDirectory(prefix="plumb-load-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        cuts = quantiles(sites.claims_far_in(folder, database=database, done=DONE, responses=OF), n=20)
    _say(f"{database}, next text for somebody who has scored {DONE:,} of {OF:,}")
    _say(f"  p50 {1000 * cuts[9]:.1f} ms, p95 {1000 * cuts[18]:.1f} ms")


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _report(plan: Plan, found: Measured) -> None:
    verdict = found.verdict
    # Whoever is killed takes the count of what it spent along.
    cpu = "not known" if plan.faults else f"{found.cpu_ms:.1f} ms a trip"
    _say(f"{plan.name}")
    _say(
        f"  {found.trips} trips in {found.seconds:.1f} s: {found.trips / found.seconds:.1f}/s, "
        f"p50 {found.median_ms:.0f} ms, p95 {found.p95_ms:.0f} ms, server CPU {cpu} "
        f"(client {found.client_cpu_ms:.1f}), web {found.web_mib:.0f} MiB, database {found.database_mib:.0f} MiB"
    )
    _say(
        f"  {verdict.scores} scores; over-assigned {verdict.over_assigned}, twice {verdict.twice}, "
        f"acknowledged and lost {verdict.lost}, incomplete {verdict.incomplete}, "
        f"stored without an answer {verdict.unacknowledged}, "
        f"faults {found.crashes} of {plan.faults}, errors {len(found.errors)}"
    )
    for error in found.errors[:3]:
        _say(f"    {error}")
    if found.log:
        _say(found.log)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make load", description=__doc__.splitlines()[0])
    parser.add_argument("--responses", type=int, default=2000)
    parser.add_argument("--only", default="", help="runs whose name holds these words")
    asked = parser.parse_args()
    _say(f"{os.cpu_count()} cores; two web processes with four threads each; client on the same machine.")
    sound = True
    for plan in plans(responses=asked.responses):
        if asked.only in plan.name:
            found = run(plan)
            _report(plan, found)
            sound = sound and found.is_sound
    for database in ("sqlite", "postgresql"):
        if asked.only in f"{database}, next text":
            _say_claims(database)
    _say("Recorded of others, 16 annotators (trips/s, p95 ms, CPU ms a trip, MiB):")
    for name, *numbers in ANCHORS:
        _say(f"  {name}: {', '.join(numbers)}")
    _say("Sound." if sound else "NOT SOUND: see above.")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
