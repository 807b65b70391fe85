"""A browser that does not start is not tried as fast as it fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.launch_pauses import LaunchPauses
from rollouts.browser.process.pool import BrowserPool, PoolOptions


class Clock:
    """Advances only by pauses, which it lists."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pauses(clock: Clock) -> LaunchPauses:
    return LaunchPauses(clock.pause, lambda: clock.now)


def fail(pauses: LaunchPauses, times: int) -> None:
    for _ in range(times):
        asyncio.run(pauses.wait())
        pauses.note_failure()


def test_the_first_failure_is_followed_by_a_try_at_once(pauses, clock):
    fail(pauses, 2)
    assert clock.pauses == []


def test_pauses_grow_up_to_a_limit(pauses, clock):
    fail(pauses, 9)
    assert clock.pauses == [1, 2, 4, 8, 16, 30, 30]


def test_a_thousand_failures_do_not_overflow(pauses, clock):
    fail(pauses, 2000)
    assert clock.pauses[-1] == 30


def test_a_browser_that_starts_ends_the_pauses(pauses, clock):
    fail(pauses, 5)
    pauses.note_start()
    asyncio.run(pauses.wait())
    assert clock.pauses == [1, 2, 4]


@pytest.mark.browser
def test_a_pool_pauses_between_tries_of_a_program_that_is_no_browser(
    tmp_path: Path, pauses: LaunchPauses, clock: Clock
):
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    async def open_pages() -> None:
        pool = BrowserPool(PoolOptions(executable=str(program)), pauses=pauses)
        for _ in range(4):
            with pytest.raises(HarnessBroken, match="did not start"):
                await pool.open_page()
        await pool.close()

    asyncio.run(open_pages())
    assert clock.pauses == [1, 2]


@pytest.mark.browser
def test_a_pool_whose_browser_starts_does_not_pause(pauses: LaunchPauses, clock: Clock):
    async def open_page() -> None:
        pool = BrowserPool(PoolOptions(), pauses=pauses)
        pauses.note_failure()
        pauses.note_failure()
        await pool.give_back(await pool.open_page())
        pool.kill()
        await pool.give_back(await pool.open_page())
        await pool.close()

    asyncio.run(open_page())
    assert clock.pauses == [1]
