"""One episode: its limits, its data while it runs, and why it ends."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from rollouts.browser.actions.executor import Executor
from rollouts.browser.actions.outcomes import Box
from rollouts.browser.hosting.hosts import OpenSites
from rollouts.browser.process.pool import PageLease
from rollouts.browser.process.request_log import RequestLog
from rollouts.browser.suites.types import PageSuite
from rollouts.browser.types import (
    Action,
    CheckResult,
    EndedBy,
    Observation,
    PageEnding,
    RefusedAttempt,
    TaskSpec,
    Traces,
)

if TYPE_CHECKING:
    from playwright.async_api import Page

# Actions that type a text; WebArena counts them as one, with or without Enter.
TYPING = frozenset({"Type", "Search"})


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """When an episode is truncated, and how long one exchange may take.

    Attributes:
        steps: Most steps.
        seconds: Most seconds.
        repeated: This many equal actions in a row end the episode.
        typed: This many texts typed into one element end it, regardless of their
            content and of the actions in between; 0: they are not counted.
        invalid: This many invalid answers in a row end the episode.
        deadline_s: Longest time of a step, and of opening the first page.
        judge_deadline_s: Longest wait for all evaluators, a judge's replies included;
            less than a collector may be silent (`STALL_S` of `services/collection.py`).
        replies_deadline_s: Longest wait for a judge's replies. What is unanswered then
            stays undecided and does not count as a failure of the site.
    """

    steps: int = 30
    seconds: float = 600.0
    repeated: int = 3
    typed: int = 0
    invalid: int = 3
    deadline_s: float = 30.0
    judge_deadline_s: float = 150.0
    replies_deadline_s: float = 120.0


@dataclasses.dataclass(frozen=True, slots=True)
class Recording:
    """What each observation includes besides its text, and which traces are kept.

    Traces are written to `trace_folder`, or below the system's temporary one.
    """

    snapshots: bool = False
    screenshots: bool = False
    traces: Traces = "off"
    trace_folder: Path | None = None


class StepInfo(TypedDict):
    """`info` of a step. The last six are filled when the episode ends.

    `timing` is milliseconds by part, which add up to the step: act, settle,
    observe, and judge when the episode ends.
    """

    action: Action
    error: str
    target_box: Box | None
    timing: dict[str, float]
    ended_by: EndedBy | None
    answer: str
    outcome: bool | None
    checks: tuple[CheckResult, ...]
    trace: str
    refused: tuple[RefusedAttempt, ...]


@dataclasses.dataclass(slots=True)
class Episode:
    """What the environment holds between `reset` and the end."""

    task: TaskSpec
    opened: OpenSites
    lease: PageLease
    executor: Executor
    limits: EpisodeLimits
    recording: Recording
    state_at_start: dict[str, Any]
    deadline: float
    suite: PageSuite | None = None
    request_log: RequestLog | None = None
    page_ending: PageEnding | None = None
    told: tuple[Any, ...] = ()
    observation: Observation = dataclasses.field(
        default_factory=lambda: Observation("", (), "", "")
    )
    opened_by: dict[Page, int] = dataclasses.field(default_factory=dict)
    steps: int = 0
    last_action: Action | None = None
    equal_in_row: int = 0
    typed: Counter[int | None] = dataclasses.field(default_factory=Counter)
    invalid_in_row: int = 0
    # How often a requested page did not load.
    late: int = 0
    # Ends the exchange that is running.
    exchange: asyncio.Timeout | None = None

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count what follows neither for the exchange nor for the episode's seconds."""
        began = time.monotonic()
        ends = self.exchange.when() if self.exchange else None
        if self.exchange and ends is not None:
            self.exchange.reschedule(None)
        try:
            yield
        finally:
            passed = time.monotonic() - began
            self.deadline += passed
            if self.exchange and ends is not None:
                self.exchange.reschedule(ends + passed)

    def count(self, action: Action) -> None:
        """Note one more answer."""
        self.steps += 1
        self.told = ()
        self.invalid_in_row = self.invalid_in_row + 1 if action.error else 0
        is_equal = action == self.last_action and not action.error
        self.equal_in_row = self.equal_in_row + 1 if is_equal else 1
        self.last_action = action
        if action.name in TYPING and not action.error:
            self.typed[action.element] += 1

    async def read_page_ending(self) -> None:
        """Find out whether a page that can end the episode has ended it.

        The last observation usually includes the answer; otherwise the page is asked.
        """
        if self.suite is None:
            return
        if self.told:
            self.page_ending = self.suite.parse_ending(self.told[0])
        else:
            self.page_ending = await self.suite.read_ending(self.executor.page)

    def _repeats(self, action: Action) -> bool:
        if self.equal_in_row >= self.limits.repeated:
            return True
        is_typing = action.name in TYPING and not action.error
        return is_typing and 0 < self.limits.typed <= self.typed[action.element]

    def ended_by(self, action: Action) -> EndedBy | None:
        """Say why the episode ends with this action, or None."""
        if self.page_ending is not None:
            return "page"
        if action.name == "Exit":
            return "exit"
        if self.invalid_in_row >= self.limits.invalid:
            return "invalid"
        if self._repeats(action):
            return "repeated"
        if self.steps >= self.limits.steps:
            return "step_limit"
        return "time_limit" if time.monotonic() >= self.deadline else None
