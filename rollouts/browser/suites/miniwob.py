"""MiniWoB++: small pages that draw their goal from a seed and compute the reward.

A page waits behind a cover until it is started. It then draws its goal and its contents
from `Math.random`, which is seeded beforehand, and reports when the episode is over and
its reward.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import SiteBroken, first_line
from rollouts.browser.observation.cross_origin_frames import is_navigation
from rollouts.browser.tidy_text import tidy
from rollouts.browser.types import PageEnding, TaskSpec

if TYPE_CHECKING:
    from playwright.async_api import Page

MAX_SEED = 2**53 - 1  # the largest integer that a JavaScript number represents exactly
MAX_GOAL_LENGTH = 2000
MAX_REASON_LENGTH = 300
LEFT = PageEnding(-1.0, "the page was left before its episode had ended")


@cache
def _script() -> str:
    folder = Path(__file__).parents[1] / "observation" / "script"
    return (folder / "miniwob.js").read_text("utf-8").rstrip()


class MiniWob:
    """Satisfies `PageSuite`; a task's object holds its `seed`."""

    async def begin(self, page: Page, task: TaskSpec) -> None:
        """Start the page's episode and check that it asks for the task.

        Raises:
            SiteBroken: It does not start, or has another goal than the task.
        """
        goal = await begin_page(page, task.spec.get("seed"))
        wanted = squash(task.instruction)
        if goal != wanted:
            told = Sentence(
                "other_goal",
                url=task.start_url,
                goal=repr(goal),
                instruction=repr(wanted),
            )
            raise SiteBroken(told)

    async def read_ending(self, page: Page) -> PageEnding | None:
        """Return the page's raw reward, which does not depend on the time taken.

        Raises:
            SiteBroken: The page does not give it.
        """
        return self.parse_ending(await _ask(page, "ending"))

    def parse_ending(self, told: Mapping[str, Any] | None) -> PageEnding | None:
        """Return the ending that the page reports; None while the episode goes on."""
        if told is None:
            return None
        if told.get("isLeft"):
            return LEFT
        return PageEnding(
            float(told["reward"]), tidy(told["reason"])[:MAX_REASON_LENGTH]
        )


async def begin_page(page: Page, seed: object) -> str:
    """Start the episode of a page that is loading; return its goal.

    Raises:
        SiteBroken: The seed is invalid, or the page is not of the suite.
    """
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise SiteBroken(Sentence("bad_seed", seed=repr(seed)))
    told = await _ask(page, "begin", seed) or {}
    return _tidy_goal(told["goal"])


async def read_goals(page: Page, url: str, seeds: Sequence[int]) -> list[str]:
    """Open a page; return its goal with each of the seeds.

    Raises:
        SiteBroken: The page is not reached, or is not of the suite.
    """
    try:
        await page.goto(url, wait_until="commit")
    except Error as error:
        raise SiteBroken(first_line(error.message)) from error
    told = await _ask(page, "goals", list(seeds)) or {}
    return [_tidy_goal(goal) for goal in told["goals"]]


def squash(text: str) -> str:
    """Return the text with single blanks, as instructions are stored."""
    return " ".join(text.split())


def _tidy_goal(goal: str) -> str:
    return squash(tidy(goal))[:MAX_GOAL_LENGTH]


async def _ask(page: Page, name: str, argument: object = None) -> dict[str, Any] | None:
    """Call a function of the script; again when the page changed meanwhile."""
    while True:
        try:
            answer = await page.evaluate(f"{_script()}.{name}", argument)
        except Error as error:
            if not is_navigation(error):
                raise
            continue
        told: dict[str, Any] | None = json.loads(answer)
        if told and "error" in told:
            reason = tidy(told["error"])
            raise SiteBroken(Sentence("page_failed", url=page.url, reason=reason))
        return told
