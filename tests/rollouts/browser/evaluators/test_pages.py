from __future__ import annotations

import pytest

from rollouts.browser.evaluators import RULE_SETS, evaluate
from tests.rollouts.browser.evaluators.helpers import (
    FakeJudge,
    FakeReader,
    ending,
    judge,
    page_rules,
)

POST_URL = "func:reddit_get_post_url('__last_url__')"
ROLE = "func:gitlab_get_project_memeber_role(__page__, 'ann')"


@pytest.mark.parametrize(
    ("required", "content", "outcome"),
    [
        ({"exact_match": "5 mugs"}, "5 Mugs", True),
        ({"exact_match": "5 mugs"}, "15 mugs", False),
        ({"must_include": ["mug |OR| cup", "blue"]}, "a blue cup", True),
        ({"must_include": ["mug |OR| cup", "blue"]}, "a red cup", False),
        ({"must_include": ["5"]}, "15", True),
        ({"must_include": ["a & b"]}, "a &amp; b", True),
        ({"must_exclude": ["x"]}, "y", None),
    ],
)
async def test_contents_under_webarenas_rules(required, content, outcome):
    verdict = await judge(page_rules(required), ending(), {"last": content})
    assert verdict.outcome is outcome


@pytest.mark.parametrize(
    ("required", "content", "outcome"),
    [
        ({"must_include": ["5"]}, "15", False),
        ({"must_include": ["a & b"]}, "a &amp; b", False),
        ({"must_exclude": ["x"]}, "y", True),
        ({"required_values": ["> 3"]}, "4", True),
        ({"fuzzy_match": ["a", "b"]}, "both", True),
    ],
)
async def test_contents_under_webarena_lites_rules(required, content, outcome):
    verdict = await judge(
        page_rules(required),
        ending(),
        {"last": content},
        rule_set="webarena-lite",
        model=FakeJudge(True),
    )
    assert verdict.outcome is outcome


@pytest.mark.parametrize(
    "target",
    [
        {"locator": "alert(1)"},
        {"locator": "func:__import__('os')"},
        {"url": "func:open('x')"},
        {"prep_actions": ["fetch('http://elsewhere/')"]},
    ],
)
async def test_what_is_outside_the_grammar_is_never_run(target):
    rules = page_rules({"exact_match": "x"}, **target)
    verdict = await judge(rules, ending(), {"last": "x"})
    assert verdict.outcome is None
    assert "unsupported" in verdict.checks[0].why or "unknown" in verdict.checks[0].why


async def test_a_page_that_is_not_reached_fails_the_check():
    verdict = await judge(page_rules({"exact_match": ""}, url="http://x/"), ending())
    assert verdict.outcome is False
    assert verdict.checks[0].why == "http://x/ was not reached"


async def test_the_post_is_found_from_the_last_address():
    rules = page_rules({"exact_match": "hi"}, url=POST_URL)
    end = ending(url="http://forum/f/books/12/a-post#comment-3")
    verdict = await judge(rules, end, {"http://forum/f/books/12/": "hi"})
    assert verdict.outcome is True


async def test_a_members_role_is_read_beside_its_account():
    class Members(FakeReader):
        async def read(self, url, program, clicks=(), *, wait_ms=0):
            kind, _, account, _ = program.tree
            return "Guest" if (kind, account) == ("beside", "@ann") else ""

    rules = page_rules({"exact_match": "Guest"}, locator=ROLE)
    verdict = await evaluate({"eval": rules}, ending(), Members({}))
    assert verdict.outcome is True


@pytest.mark.parametrize(
    ("rule_set", "wait_ms"),
    [
        ("webarena", 3000),
        ("webarena-lite", 3000),
        ("browsergym", 3000),
        ("workbench", 0),
    ],
)
async def test_published_rules_let_a_page_settle_as_long_as_the_originals(
    rule_set, wait_ms
):
    reader = FakeReader({"http://x/": "x"})
    rules = page_rules({"exact_match": "x"}, url="http://x/")
    named = RULE_SETS[rule_set]
    verdict = await evaluate({"eval": rules}, ending(), reader, rule_set=named)
    assert (verdict.outcome, reader.waits) == (True, [wait_ms])


@pytest.mark.parametrize(
    ("rule_set", "asked"),
    [("browsergym", ["a, b"]), ("webarena-lite", ["a, b"])],
)
async def test_references_for_a_page_are_judged_together(rule_set, asked):
    model = FakeJudge(True)
    rules = page_rules({"fuzzy_match": ["a", "b"]})
    pages = {"last": "both"}
    await judge(rules, ending(), pages, rule_set=rule_set, model=model)
    assert model.asked == asked


async def test_what_needs_the_shops_own_interface_is_left_open():
    rules = page_rules({"exact_match": ""}, url="func:shopping_get_latest_order_url()")
    verdict = await judge(rules, ending())
    assert verdict.outcome is None
    assert "needs the shop's API" in verdict.checks[0].why


async def test_elements_are_clicked_before_a_page_is_read():
    reader = FakeReader({"last": "x"})
    click = "document.querySelector('a').querySelector('.b').click()"
    rules = page_rules({"exact_match": "x"}, prep_actions=[click])
    assert (await evaluate({"eval": rules}, ending(), reader)).outcome is True
    assert len(reader.clicks) == 1
