"""Episodes of a few steps without a browser, for drills of all other parts."""

from __future__ import annotations

import asyncio
from typing import Any

from rollouts.browser.episode import EpisodeLimits, Recording, StepInfo
from rollouts.browser.types import Action, Observation, TaskSpec
from rollouts.collection.collector_options import Environment

STEPS = 3


class PaperWorld:
    """Makes environments that end by themselves after `STEPS` steps."""

    def environment(self) -> Environment:
        """Return an environment for one episode."""
        return PaperEnvironment()

    async def close(self) -> None:
        """Nothing to end."""


class PaperEnvironment:
    """Pages that name the task and the step, so that no two requests are equal."""

    def __init__(self) -> None:
        self._done, self._about = 0, ""

    async def reset(
        self, task: TaskSpec, *, limits: EpisodeLimits, recording: Recording
    ) -> tuple[Observation, dict[str, Any]]:
        """Open the first page."""
        self._done, self._about = 0, task.instruction
        return self._page(), {}

    async def step(
        self, output: str
    ) -> tuple[Observation, float, bool, bool, StepInfo]:
        """Treat any answer as a click."""
        await asyncio.sleep(0)
        self._done += 1
        is_last = self._done == STEPS
        info: StepInfo = {
            "action": Action("Click", 1),
            "error": "",
            "target_box": None,
            "timing": {"act": 1.0},
            "ended_by": "page" if is_last else None,
            "answer": "",
            "outcome": True if is_last else None,
            "checks": (),
            "trace": "",
            "refused": (),
        }
        return self._page(), 0.0, is_last, False, info

    def extend(self, seconds: float) -> None:
        """Do nothing: there is no time limit."""

    async def close(self) -> None:
        """Leave the page."""

    def _page(self) -> Observation:
        text = f"{self._about}, page {self._done}"
        return Observation(text, (), "http://shop.test/", "Shop")
