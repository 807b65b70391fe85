"""A judge that is slow leaves checks undecided, and blames no site."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.evaluators import Ending, evaluate
from rollouts.browser.evaluators.rule_sets import WEBARENA
from rollouts.browser.hosting.hosts import ExternalHost, OpenSites
from rollouts.browser.observation.observations import SettleLimits
from rollouts.browser.scoring.episode_scoring import judge_episode
from rollouts.browser.scoring.limited_judge import LimitedJudge
from rollouts.browser.scoring.manual_trial import NoPages
from rollouts.browser.types import Action


class SlowJudge:
    """Answers some questions at once, and none after those."""

    def __init__(self, quick: int = 0) -> None:
        self.left = quick
        self.asked: list[str] = []

    async def has_same_meaning(self, *, reference: str, **_: str) -> bool:
        self.asked.append(reference)
        self.left -= 1
        if self.left < 0:
            await asyncio.Event().wait()
        return True

    async def has_same_reason(self, *, reason: str, **_: str) -> bool:
        return await self.has_same_meaning(reference=reason)


def judge(slow: SlowJudge, seconds: float, *references: str) -> bool | None:
    answers = {"fuzzy_match": list(references)}
    rules = {"eval_types": ["string_match"], "reference_answers": answers}
    ending = Ending("x", "http://shop/", has_exited=True)
    judge = LimitedJudge(slow, seconds)
    found = evaluate(
        {"intent": "q", "eval": rules},
        ending,
        NoPages(),
        rule_set=WEBARENA,
        judge=judge,
    )
    return asyncio.run(found).outcome


def test_a_judge_that_answers_in_time_decides() -> None:
    assert judge(SlowJudge(quick=2), 60.0, "a", "b") is True


def test_a_judge_that_does_not_answer_in_time_decides_nothing() -> None:
    slow = SlowJudge(quick=1)
    assert judge(slow, 0.01, "a", "b", "c") is None
    assert slow.asked[:2] == ["a", "b"]


def test_the_reason_of_an_impossible_task_is_limited_as_well() -> None:
    asked = LimitedJudge(SlowJudge(), 0.01).has_same_reason(
        instruction="q", reason="r", answer="x", prompts="webarena"
    )
    assert asyncio.run(asked) is None


def test_an_episode_with_a_silent_judge_stays_undecided() -> None:
    answers = {"fuzzy_match": ["a", "b"]}
    rules = {"eval_types": ["string_match"], "reference_answers": answers}
    episode: Any = SimpleNamespace(
        task=SimpleNamespace(spec={"intent": "q", "eval": rules}),
        limits=EpisodeLimits(replies_deadline_s=0.01),
        observation=SimpleNamespace(url="http://shop/"),
        executor=SimpleNamespace(page=None),
        state_at_start={},
        page_ending=None,
        request_log=None,
        opened=OpenSites("", {}),
    )
    judging = judge_episode(
        ExternalHost({}),
        episode,
        Action("Exit", argument="x"),
        judge=SlowJudge(),
        shop=None,
        settle=SettleLimits(),
        ended_by="exit",
    )
    assert asyncio.run(asyncio.wait_for(judging, 30)).outcome is None
