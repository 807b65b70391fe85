"""A reader and a judge that know their answers beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollouts.browser.evaluators import (
    RULE_SETS,
    Ending,
    PageUnreadable,
    Verdict,
    evaluate,
)
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.types import PageEnding


class FakeReader:
    """Gives each address its text, whatever is looked for there."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = pages
        self.clicks: list[Program] = []
        self.waits: list[int] = []

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        self.clicks += clicks
        self.waits.append(wait_ms)
        if url not in self._pages:
            raise PageUnreadable(f"{url} was not reached")
        return self._pages[url]


class FakeJudge:
    """Gives one answer to everything, and remembers what it was asked."""

    def __init__(self, answer: bool | None) -> None:
        self._answer = answer
        self.asked: list[str] = []
        self.prompts: list[str] = []
        self.answers: list[str] = []

    async def has_same_meaning(
        self, *, instruction: str, reference: str, answer: str, prompts: str
    ) -> bool | None:
        self.prompts.append(prompts)
        self.answers.append(answer)
        self.asked.append(reference)
        return self._answer

    async def has_same_reason(
        self, *, instruction: str, reason: str, answer: str, prompts: str
    ) -> bool | None:
        self.prompts.append(prompts)
        self.answers.append(answer)
        self.asked.append(reason)
        return self._answer


def ending(
    answer: str = "",
    url: str = "http://shop/",
    state: Mapping[str, Any] | None = None,
    state_at_start: Mapping[str, Any] | None = None,
    page: PageEnding | None = None,
    **others: Any,
) -> Ending:
    return Ending(answer, url, state or {}, state_at_start or {}, page, **others)


async def judge(
    rules: Any,
    end: Ending,
    pages: Mapping[str, str] | None = None,
    *,
    rule_set: str = "webarena",
    model: FakeJudge | None = None,
) -> Verdict:
    return await evaluate(
        {"intent": "Do it", "eval": rules},
        end,
        FakeReader(pages or {}),
        rule_set=RULE_SETS[rule_set],
        judge=model,
    )


def string_rules(**answers: Any) -> dict[str, Any]:
    return {"eval_types": ["string_match"], "reference_answers": answers}


def page_rules(required: Any, **target: Any) -> dict[str, Any]:
    wanted = {"url": "last", "locator": "", "required_contents": required}
    return {"eval_types": ["program_html"], "program_html": [wanted | target]}
