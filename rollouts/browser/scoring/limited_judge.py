"""A judge with a time limit for all of its replies together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable

from rollouts.browser.evaluators.rule_sets import PromptsName
from rollouts.browser.evaluators.types import Judge


class LimitedJudge:
    """Satisfies `Judge`; what is not answered in time stays undecided.

    Rule sets ask about each reference separately, so the waits for a slow endpoint add
    up. Without this limit they would exceed the evaluators' deadline, which counts as a
    failure of the site.
    """

    def __init__(self, judge: Judge, seconds: float) -> None:
        """`seconds` is the limit for all replies of one episode together."""
        self._judge = judge
        self._left = seconds

    async def has_same_meaning(
        self, *, instruction: str, reference: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Ask whether an answer means the reference; None: no answer in time."""
        return await self._wait(
            self._judge.has_same_meaning(
                instruction=instruction,
                reference=reference,
                answer=answer,
                prompts=prompts,
            )
        )

    async def has_same_reason(
        self, *, instruction: str, reason: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Ask whether an answer gives the reason; None: no answer in time."""
        return await self._wait(
            self._judge.has_same_reason(
                instruction=instruction, reason=reason, answer=answer, prompts=prompts
            )
        )

    async def _wait(self, reply: Awaitable[bool | None]) -> bool | None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(self._left, 0.0)):
                return await reply
        except TimeoutError:
            return None
        finally:
            self._left -= time.monotonic() - began
