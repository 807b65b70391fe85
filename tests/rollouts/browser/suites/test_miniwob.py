"""The suite's own part of an episode, on a page that answers by itself."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Error

from curriculum.task_files.suites import PAGE_SUITES
from rollouts.browser.errors import SiteBroken
from rollouts.browser.suites import SUITES, find_suite
from rollouts.browser.suites.miniwob import LEFT, MiniWob, begin_page, read_goals
from rollouts.browser.types import PageEnding, TaskSpec


class FakePage:
    """Gives its answers in turn; an answer may be an error to raise."""

    url = "http://miniwob.test/page.html"

    def __init__(self, *answers):
        self._answers = list(answers)
        self.calls = []

    async def goto(self, url, *, wait_until):
        if url.startswith("http://gone"):
            raise Error("net::ERR_NAME_NOT_RESOLVED")

    async def evaluate(self, script, argument):
        self.calls.append((script.rpartition(".")[2], argument))
        answer = self._answers.pop(0)
        if isinstance(answer, Error):
            raise answer
        return json.dumps(answer)


def task(instruction="Click ONE.", **spec):
    return TaskSpec(1, instruction, "__MINIWOB__/a.html", ("miniwob",), spec)


def test_the_suites_of_task_files_are_those_of_the_browser():
    assert tuple(SUITES) == PAGE_SUITES


def test_a_task_without_a_suite_has_none():
    assert find_suite({}) is None


def test_an_unknown_suite_is_named():
    with pytest.raises(SiteBroken, match="'mine'; known are miniwob"):
        find_suite({"suite": "mine"})


async def test_an_episode_begins_with_the_seed_of_its_task():
    page = FakePage({"goal": " Click \n ONE. "})
    await MiniWob().begin(page, task(seed=7))
    assert page.calls == [("begin", 7)]


async def test_a_page_with_another_goal_than_the_task_is_broken():
    page = FakePage({"goal": "Click TWO."})
    with pytest.raises(SiteBroken, match=r"asks for 'Click TWO.', but the task says"):
        await MiniWob().begin(page, task(seed=7))


@pytest.mark.parametrize("seed", [None, "7", -1, 2**53, True, 1.5])
async def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(SiteBroken, match="seed"):
        await begin_page(FakePage(), seed)


async def test_what_a_page_fails_with_is_told():
    with pytest.raises(SiteBroken, match=r"page.html failed: no page of the suite"):
        await begin_page(FakePage({"error": "no page of the suite"}), 1)


async def test_goals_are_read_for_many_seeds_at_once():
    page = FakePage({"goals": ["A  b", "C"]})
    assert await read_goals(page, page.url, range(2)) == ["A b", "C"]
    assert page.calls == [("goals", [0, 1])]
    with pytest.raises(SiteBroken, match="NAME_NOT_RESOLVED"):
        await read_goals(page, "http://gone.test/", range(2))


@pytest.mark.parametrize(
    ("told", "ending"),
    [
        (None, None),
        ({"reward": 1, "reason": "ok"}, PageEnding(1.0, "ok")),
        ({"reward": -0.5, "reason": "x" * 900}, PageEnding(-0.5, "x" * 300)),
        ({"isLeft": True}, LEFT),
    ],
)
async def test_a_page_says_how_it_has_ended(told, ending):
    assert await MiniWob().read_ending(FakePage(told)) == ending


async def test_a_page_that_changes_meanwhile_is_asked_again():
    gone = Error("Execution context was destroyed")
    page = FakePage(gone, {"isLeft": True})
    assert await MiniWob().read_ending(page) == LEFT
    with pytest.raises(Error, match="crashed"):
        await MiniWob().read_ending(FakePage(Error("Target crashed")))
