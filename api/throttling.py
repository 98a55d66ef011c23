"""How often a token may ask, and how often an address may come with a token that is none.

What may be asked within a minute is divided into parts (twenty, where there are so many). A process that needs one
takes it by adding its key to the shared cache, which of all processes only one can, and spends it in its own memory.
So all of them together never let pass more than the limit, a busy token costs the database twenty writes a minute and
an exhausted one none, and a minute is the clock's, the same for all. The price: where several processes each hold a
part that they have begun, up to a part of each may lie idle, and around the turn of a minute two minutes' worth may
come at once.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import cache
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

WINDOW = 60  # seconds
PARTS = 20
KEPT = WINDOW + 10  # seconds that a part stands in the cache: no process is still in a minute that long gone


@dataclass(slots=True)
class Held:
    """What this process knows of somebody within a minute."""

    minute: int
    left: int = 0  # of the part that was taken last
    next_part: int = 0


class Allowance:
    """So many a minute, of all processes together. One of these is a process's share in it."""

    def __init__(self, name: str, clock: Callable[[], float] = time.time) -> None:
        self.name = name
        self.clock = clock
        self.lock = threading.Lock()
        self.held: dict[str, Held] = {}
        self.minute = 0

    def wait(self, who: str, limit: int) -> int:
        """0 where one more is allowed, which is spent by asking; otherwise the seconds until it may be."""
        now = self.clock()
        minute = int(now // WINDOW)
        with self.lock:
            if minute != self.minute:  # what is over is forgotten, so that memory does not grow
                self.minute = minute
                self.held.clear()
            held = self.held.setdefault(who, Held(minute))
            if held.left == 0:
                held.left = self._part(held, who, limit)
            if held.left:
                held.left -= 1
                return 0
        return int((minute + 1) * WINDOW - now) + 1

    def _part(self, held: Held, who: str, limit: int) -> int:
        """How many the next part that is free allows; 0 where none is left."""
        size = max(1, -(-limit // PARTS))
        while held.next_part * size < limit:
            number = held.next_part
            held.next_part += 1
            key = f"{self.name}:{who}:{held.minute}:{number}"
            # A cache that did not store it says the same as one that has it already. The limit protects the site; it
            # does not take it down where the cache is what fails.
            if cache.add(key, 1, KEPT) or cache.get(key) is None:
                return min(size, limit - number * size)
        return 0


REQUESTS = Allowance("api-requests")
FAILURES = Allowance("api-failures")


class PerToken(BaseThrottle):
    def allow_request(self, request: Request, view: object) -> bool:
        if request.auth is None:
            return True
        self.seconds = REQUESTS.wait(str(request.auth.pk), settings.API_REQUESTS_PER_MINUTE)
        return self.seconds == 0

    def wait(self) -> int:
        return self.seconds


def count_failure(request: Request) -> None:
    seconds = FAILURES.wait(client_address(request), settings.API_FAILURES_PER_MINUTE)
    if seconds:
        raise Throttled(seconds)


def client_address(request: Request) -> str:
    """By the rule of the site: of X-Forwarded-For counts what its own proxies wrote there, and nothing else."""
    return get_adapter().get_client_ip(request._request)
