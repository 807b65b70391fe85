"""What drills measure with must see what it is there for."""

from __future__ import annotations

import asyncio
import random

import pytest

from drills.browsers.long_soak import compare, is_flat
from drills.hostile.planted_secrets import find
from drills.hostile.recorded_pages import write_pages
from drills.outages.paper_world import STEPS, PaperWorld
from drills.outages.scripted_endpoint import Script
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.types import TaskSpec


def test_a_request_before_its_retry_after_is_counted():
    script = Script(random.Random(0))
    while script.choose(b"one") != "limited":
        script.held_until.clear()
    early = script.early
    script.choose(b"one")
    script.choose(b"other")

    assert script.early == early + 1


def test_faults_come_in_the_shares_of_the_script():
    script = Script(random.Random(0))
    for number in range(2000):
        script.choose(str(number).encode())
    shares = {kind: round(n / 2000, 1) for kind, n in script.answers.items()}

    assert shares["limited"] == 0.2
    assert shares["good"] == 0.6


def test_every_hostile_page_names_its_own_address():
    pages = list(write_pages(7))

    assert len(pages) == 66
    assert all(f"http://127.0.0.1:7/{n}" in page for n, page in enumerate(pages, 1))


def test_a_planted_secret_is_found_in_bytes():
    assert find({"a": "planted-1", "b": "planted-2"}, b"x planted-2 \xff") == ["b"]


def test_an_episode_on_paper_ends_after_its_steps():
    async def play() -> list[bool]:
        world = PaperWorld().environment()
        task = TaskSpec(1, "Buy", "__SHOP__/", ("shop",), {})
        await world.reset(task, limits=EpisodeLimits(), recording=Recording())
        return [(await world.step("x"))[2] for _ in range(STEPS)]

    assert asyncio.run(play()) == [False] * (STEPS - 1) + [True]


@pytest.mark.parametrize(("growth", "flat"), [(1.0, True), (1.04, True), (1.06, False)])
def test_a_soak_allows_memory_a_twentieth(growth: float, flat: bool):
    before = (100.0, 300.0, 90.0, 90.0, 20.0, 30.0)
    after = (100.0, 300.0 * growth, 90.0, 90.0, 20.0, 30.0)
    assert is_flat(before, after) is flat


def test_a_soak_leaves_its_beginning_out():
    held = [(9.0,)] * 15 + [(1.0,)] * 70 + [(2.0,)] * 15
    assert compare(held) == ((1.0,), (2.0,))
