"""Recorded episodes evaluated again, without their sites."""

from __future__ import annotations

import pytest

from rollouts.browser.evaluators.rule_sets import (
    BROWSERGYM,
    RULE_SETS,
    WEBARENA,
    WEBARENA_LITE,
)
from rollouts.browser.scoring.rescoring import StoredEpisode, rescore
from rollouts.browser.types import CheckResult
from tests.rollouts.browser.evaluators.helpers import page_rules, string_rules

PAGE = "<p id=a>Tom &amp; Ann</p>"
CHANGED = CheckResult("state_match.shop.cart", True, "1", "1")


def stored(rules, *, answer="", page=PAGE, checks=(), url="http://shop/"):
    return StoredEpisode(
        1, "a", {"eval": rules}, answer, url, lambda: page, None, tuple(checks)
    )


async def outcome(episode, rule_set=WEBARENA):
    (verdict,) = await rescore([episode], rule_set)
    return verdict.outcome


async def test_an_answer_is_compared_by_other_rules():
    episode = stored(string_rules(must_include=["15"]), answer="3150")
    assert await outcome(episode, WEBARENA) is True
    assert await outcome(episode, WEBARENA_LITE) is False


async def test_an_address_is_compared_by_other_rules():
    rules = {"eval_types": ["url_match"], "reference_url": "http://shop/a"}
    episode = stored(rules, url="http://shop/a?x=1")
    assert await outcome(episode, WEBARENA) is True
    assert await outcome(episode, WEBARENA_LITE) is False


async def test_the_last_page_is_read_from_the_record():
    episode = stored(page_rules({"must_include": ["Tom & Ann"]}))
    assert await outcome(episode, WEBARENA) is True
    assert await outcome(episode, BROWSERGYM) is False


async def test_what_a_frame_held_is_no_text_of_the_page():
    frame = '<iframe data-recorded="" sandbox="" srcdoc="&lt;p&gt;Bob"></iframe>'
    rules = page_rules({"must_include": ["Bob"]})
    assert await outcome(stored(rules, page=PAGE + frame)) is False


@pytest.mark.parametrize("target", [{}, {"url": "http://shop/b"}])
async def test_a_page_that_was_not_recorded_decides_nothing(target):
    rules = page_rules({"exact_match": "x"}, **target)
    (verdict,) = await rescore([stored(rules, page="")], WEBARENA)
    assert verdict.outcome is None
    assert "not recorded" in verdict.checks[0].why


async def test_checks_of_the_state_are_taken_over():
    rules = string_rules(exact_match="ok") | {
        "eval_types": ["string_match", "state_match"],
        "reference_state": [{"site": "shop", "path": "cart", "equals": 1}],
    }
    assert await outcome(stored(rules, answer="ok", checks=[CHANGED])) is True
    assert await outcome(stored(rules, answer="no", checks=[CHANGED])) is False
    assert await outcome(stored(rules, answer="ok")) is None


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
async def test_what_a_page_said_of_the_episode_is_taken_over(rules):
    asked = {"eval_types": ["page_reward"]}
    told = CheckResult("page_reward", True, "a reward above 0", "1")
    assert await outcome(stored(asked, checks=[told]), rules) is True
    assert await outcome(stored(asked), rules) is None


@pytest.mark.browser
async def test_a_locator_reads_the_recorded_page_in_a_browser_without_network():
    page = PAGE + "<img src='http://shop/x.png'>"
    locator = "document.querySelector('#a').textContent"
    rules = page_rules({"exact_match": "Tom & Ann"}, locator=locator)
    assert await outcome(stored(rules, page=page)) is True
