from __future__ import annotations

import pytest

from rollouts.browser.types import PageEnding
from tests.rollouts.browser.evaluators.helpers import ending, judge

RULES = {"eval_types": ["page_reward"]}


@pytest.mark.parametrize(
    ("reward", "outcome"), [(1.0, True), (0.25, True), (0.0, False), (-1.0, False)]
)
async def test_a_page_that_rewards_the_episode_makes_it_a_success(reward, outcome):
    verdict = await judge(RULES, ending(page=PageEnding(reward, "wrong button")))
    (check,) = verdict.checks
    assert verdict.outcome is outcome
    assert (check.expected, check.got) == ("a reward above 0", f"{reward:.4g}")
    assert check.why == "wrong button"


async def test_an_agent_that_exits_before_the_page_has_ended_has_failed():
    verdict = await judge(RULES, ending("done"))
    assert verdict.outcome is False
    assert verdict.checks[0].why == "the page had not ended the episode"
