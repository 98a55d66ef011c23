"""An update in the middle of the work: what is under way is finished, and everybody goes on where they were."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.load import site as sites
from tests.load.browser import Browser, work
from tests.load.check import check

pytestmark = pytest.mark.files  # it has a database of its own
ANNOTATORS, RESPONSES = 4, 12


def test_a_site_that_is_asked_to_end_finishes_what_it_began_and_loses_nothing(tmp_path):
    with sites.running(tmp_path, database="sqlite", annotators=ANNOTATORS, responses=RESPONSES) as (
        site,
        made,
    ):
        # A thread of its own: in this one the loop of a browser may be running.
        with ThreadPoolExecutor(1) as thread:
            ended, done = thread.submit(lambda: asyncio.run(at_work(site, made))).result()
        held = site.stored()
    assert ended == 0
    assert not [error for one in done for error in one.errors]
    verdict = check(
        [sent for one in done for sent in one.acknowledged],
        scores=[tuple(row) for row in held["scores"]],
        leases=[tuple(row) for row in held["leases"]],
        responses=RESPONSES,
    )
    assert verdict.is_sound
    assert verdict.unacknowledged == 0
    assert verdict.incomplete == 0


async def at_work(site, made):
    browsers = [Browser("127.0.0.1", site.port) for _ in range(ANNOTATORS)]
    for browser, name in zip(browsers, made["names"], strict=True):
        await browser.sign_in(name, made["password"])
    begun = [
        asyncio.create_task(
            work(browser, made["round"], value_of=lambda path: 2, think=0, until=time.monotonic() + 60)
        )
        for browser in browsers
    ]
    await asyncio.sleep(0.5)  # somebody's request is under way
    ended = site.serve_anew()
    done = await asyncio.gather(*begun)
    for browser in browsers:
        await browser.hang_up()
    return ended, done
