"""A judge behind any OpenAI-compatible endpoint, for tasks that compare meanings.

WebArena's judge was gpt-4-1106-preview, which is no longer served; scores of such tasks
compare only between runs with the same judge. The prompts depend on the task's rule set
(`judge_prompts.py`), unless the operator names one kind for all.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable

import httpx

from curriculum.rules.retry_after import read_retry_after
from rollouts.browser.evaluators.judge_prompts import (
    JUDGE_PROMPTS,
    JudgePrompts,
    Question,
)
from rollouts.browser.evaluators.rule_sets import PromptsName

ATTEMPTS = 3
PAUSE_S = 1.0
# What an answer of another form raises; the last for JSON nested too deeply.
UNREADABLE = (ValueError, KeyError, IndexError, TypeError, RecursionError)


@dataclasses.dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Where the judge is.

    Attributes:
        base_url: The endpoint, e.g. "https://host/v1". The key goes nowhere else.
        model: Name of the model there.
        api_key: Sent as a bearer token; "" for none.
        timeout_s: Longest wait for one reply.
        prompts: Which prompts it gets; None leaves that to the rule set.
    """

    base_url: str
    model: str
    api_key: str = dataclasses.field(default="", repr=False)
    timeout_s: float = 20.0
    prompts: PromptsName | None = None


class OpenAIJudge:
    """Satisfies `Judge`; an endpoint that fails leaves the check undecided."""

    def __init__(
        self,
        options: JudgeOptions,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`transport` and `pause` are replaced in tests."""
        self._options = options
        self._transport = transport
        self._pause = pause

    async def has_same_meaning(
        self, *, instruction: str, reference: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Ask whether an answer means the reference."""
        ask = self._find_prompts(prompts).meaning
        return await self._ask(ask(instruction, reference, answer))

    async def has_same_reason(
        self, *, instruction: str, reason: str, answer: str, prompts: PromptsName
    ) -> bool | None:
        """Ask whether an answer gives the reason why a task is impossible."""
        ask = self._find_prompts(prompts).reason
        return await self._ask(ask(instruction, reason, answer))

    def _find_prompts(self, named: PromptsName) -> JudgePrompts:
        return JUDGE_PROMPTS[self._options.prompts or named]

    async def _ask(self, question: Question) -> bool | None:
        body = {
            "model": self._options.model,
            "temperature": 0,
            **question.options,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
        }
        wanted = 0.0
        for attempt in range(ATTEMPTS):
            if attempt:
                # The caller, which waits for all checks, has its own time limit.
                await self._pause(max(PAUSE_S, wanted))
            reply, wanted = await self._post(body)
            if reply is not None:
                return question.read(reply)
        return None

    async def _post(self, body: dict[str, object]) -> tuple[str | None, float]:
        """Return the reply's text or None, and how long to wait before a retry.

        The wait is in seconds, from the endpoint's Retry-After, or else 0.
        """
        key, asked = self._options.api_key, ""
        try:
            async with httpx.AsyncClient(
                base_url=self._options.base_url.rstrip("/"),
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=self._options.timeout_s,
                transport=self._transport,
            ) as client:
                response = await client.post("/chat/completions", json=body)
            asked = response.headers.get("Retry-After", "")
            content = response.json()["choices"][0]["message"]["content"]
        except (httpx.HTTPError, *UNREADABLE):
            return None, read_retry_after(asked) or 0.0
        return (content if isinstance(content, str) else None), 0.0
