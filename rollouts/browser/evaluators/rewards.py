"""page_reward: the reward from a page that ends its own episodes."""

from __future__ import annotations

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.types import Case, shorten
from rollouts.browser.types import CheckResult

EXPECTED = "a reward above 0"
STILL_OPEN = Sentence("page_still_open")


async def match_reward(case: Case) -> list[CheckResult]:
    """Check that the page has ended the episode with a reward."""
    ending = case.ending.page
    if ending is None:
        return [CheckResult("page_reward", False, EXPECTED, "none", STILL_OPEN)]
    passed = ending.reward > 0
    got, why = f"{ending.reward:.4g}", shorten(ending.reason)
    return [CheckResult("page_reward", passed, EXPECTED, got, why)]
