from __future__ import annotations

import pytest

from rollouts.browser.evaluators import (
    Ending,
    PageUnreadable,
    Verdict,
    evaluate,
    includes,
    normalise,
    urls_match,
)


class FakeReader:
    """Gives each (url, locator) its text."""

    def __init__(self, pages: dict[tuple[str, str], str]) -> None:
        self._pages = pages

    async def html_of(self, url: str, locator: str) -> str:
        if (url, locator) not in self._pages:
            raise PageUnreadable(f"{url} was not reached")
        return self._pages[url, locator]


def ending(answer="", url="http://shop/", state=None, state_at_start=None):
    return Ending(answer, url, state or {}, state_at_start or {})


async def judge(rules, end, pages=None):
    return await evaluate({"eval": rules}, end, FakeReader(pages or {}))


def string_rules(**answers):
    return {"eval_types": ["string_match"], "reference_answers": answers}


@pytest.mark.parametrize(
    ("text", "normal"),
    [(" A b ", "a b"), ("'x'", "x"), ('"x"', "x"), ("\"x'", "\"x'"), ("'", "'")],
)
def test_answers_are_normalised_as_in_webarena(text, normal):
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("reference", "answer", "alone", "passed"),
    [
        ("Blue mug", "the blue MUG, please", True, True),
        ("5", "15 pieces", True, False),
        ("5", "5 pieces", True, True),
        ("5", "15 pieces", False, True),
        ("mug", "cup", False, False),
    ],
)
def test_a_phrase_is_looked_for_as_in_webarena(reference, answer, alone, passed):
    assert includes(reference, answer, alone=alone) is passed


@pytest.mark.parametrize(
    ("wanted", "url", "passed"),
    [
        ("http://shop/cart", "http://shop/cart/", True),
        ("http://shop/cart", "http://shop/cart?x=1", True),
        ("http://shop/viewed", "http://shop/viewedasdf", True),
        ("http://shop/a |OR| http://shop/b", "http://shop/b", True),
        ("http://shop/cart", "http://shop/", False),
        ("http://shop/s?q=mug", "http://shop/s?q=mug&page=2", True),
        ("http://shop/s?q=mug", "http://shop/s?q=cup", False),
        ("http://shop/s?q=mug", "http://shop/s", False),
        ("http://shop/s?q=a |OR| http://shop/s?q=b", "http://shop/s?q=b", True),
    ],
)
def test_addresses_are_compared_as_in_webarena(wanted, url, passed):
    assert urls_match(wanted, url) is passed


@pytest.mark.parametrize(
    ("answers", "answer", "outcome"),
    [
        ({"exact_match": "$12.50"}, ' "$12.50" ', True),
        ({"exact_match": "$12.50"}, "It costs $12.50", False),
        ({"must_include": ["red", "blue"]}, "Red and blue", True),
        ({"must_include": ["red", "blue"]}, "Red", False),
        ({"must_include": "red"}, "Red", True),
        ({"fuzzy_match": "N/A"}, "n/a", True),
        ({"fuzzy_match": "N/A"}, "none", False),
        ({"fuzzy_match": ["N/A"]}, "N/A", True),
        ({"fuzzy_match": ["the red one"]}, "The red one", True),
        ({"fuzzy_match": ["the red one"]}, "red", None),
        ({"fuzzy_match": ["x"], "must_include": ["y"]}, "z", False),
        ({"starts_with": "a"}, "abc", None),
        (None, "", None),
    ],
)
async def test_string_match(answers, answer, outcome):
    rules = {"eval_types": ["string_match"], "reference_answers": answers}
    assert (await judge(rules, ending(answer))).outcome is outcome


async def test_a_task_without_evaluators_has_no_outcome():
    assert (await evaluate({}, ending(), FakeReader({}))).outcome is None


async def test_an_unknown_evaluator_leaves_the_outcome_open_and_says_so():
    verdict = await judge({"eval_types": ["vibes"]}, ending())
    assert verdict.outcome is None
    assert "unknown evaluator 'vibes'" in verdict.checks[0].why


async def test_every_evaluator_must_pass():
    rules = string_rules(exact_match="ok") | {
        "eval_types": ["string_match", "url_match"],
        "reference_url": "http://shop/cart",
    }
    verdict = await judge(rules, ending("ok", "http://shop/"))
    assert verdict.outcome is False
    assert [check.passed for check in verdict.checks] == [True, False]
    assert verdict.checks[1].expected == "http://shop/cart"
    assert verdict.checks[1].got == "http://shop/"


@pytest.mark.parametrize(
    ("required", "content", "outcome"),
    [
        ({"exact_match": "5 mugs"}, "5 Mugs", True),
        ({"exact_match": "5 mugs"}, "15 mugs", False),
        ({"must_include": ["mug |OR| cup", "blue"]}, "a blue cup", True),
        ({"must_include": ["mug |OR| cup", "blue"]}, "a red cup", False),
        ({"must_include": ["a & b"]}, "a &amp; b", True),
    ],
)
async def test_program_html(required, content, outcome):
    target = {"url": "last", "locator": "", "required_contents": required}
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    verdict = await judge(rules, ending(), {("last", ""): content})
    assert verdict.outcome is outcome


async def test_a_locator_outside_the_grammar_is_never_run():
    target = {"url": "last", "locator": "alert(1)", "required_contents": {}}
    verdict = await judge(
        {"eval_types": ["program_html"], "program_html": [target]}, ending()
    )
    assert verdict.outcome is None
    assert "unsupported locator" in verdict.checks[0].why


async def test_a_page_that_is_not_reached_fails_the_check():
    target = {"url": "http://shop/gone", "locator": "", "required_contents": {}}
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    verdict = await judge(rules, ending())
    assert verdict.outcome is False
    assert verdict.checks[0].why == "http://shop/gone was not reached"


async def test_an_address_that_would_have_to_be_computed_is_left_open():
    target = {"url": "func:get_order()", "locator": "", "required_contents": {}}
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    verdict = await judge(rules, ending())
    assert verdict.outcome is None
    assert "computed address" in verdict.checks[0].why


@pytest.mark.parametrize(
    "rules",
    [
        {"eval_types": ["string_match"], "reference_answers": ["x"]},
        {"eval_types": ["program_html"], "program_html": ["x"]},
        {"eval_types": ["state_match"], "reference_state": [{"site": "shop"}]},
        {"eval_types": ["state_match"], "reference_state": [5]},
    ],
)
async def test_malformed_rules_are_explained_and_decide_nothing(rules):
    verdict = await judge(rules, ending())
    assert verdict.outcome is None
    assert "malformed rules" in verdict.checks[0].why


@pytest.mark.parametrize("rules", [None, [], "x", {"eval_types": "string_match"}])
async def test_rules_that_are_none_give_no_outcome(rules):
    verdict = await evaluate({"eval": rules}, ending(), FakeReader({}))
    assert verdict == Verdict(None, ())


STATE_RULES = {
    "eval_types": ["state_match"],
    "reference_state": [{"site": "shop", "path": "cart.MUG", "equals": 1}],
}


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"cart": {"MUG": 1}, "orders": []}, True),
        ({"cart": {"MUG": 2}, "orders": []}, False),
        ({"cart": {}, "orders": []}, False),
        ({"cart": {"MUG": 1}, "orders": [1]}, False),
        ({"cart": [1], "orders": []}, False),
    ],
)
async def test_state_match_wants_the_change_and_no_other(state, outcome):
    start = {"shop": {"cart": {}, "orders": []}}
    end = ending(state={"shop": state}, state_at_start=start)
    assert (await judge(STATE_RULES, end)).outcome is outcome


async def test_state_match_reads_positions_of_lists():
    rules = {
        "eval_types": ["state_match"],
        "reference_state": [{"site": "shop", "path": "orders.0.total", "equals": 5}],
    }
    state = {"shop": {"orders": [{"total": 5}]}}
    end = ending(state=state, state_at_start={"shop": {"orders": []}})
    assert (await judge(rules, end)).outcome is True


async def test_state_match_names_what_else_has_changed():
    start = {"shop": {"cart": {}, "orders": []}}
    state = {"shop": {"cart": {"MUG": 1}, "orders": [7]}}
    verdict = await judge(STATE_RULES, ending(state=state, state_at_start=start))
    assert verdict.checks[-1].why == "orders changed too"
    assert verdict.checks[-1].got == '{"orders": [7]}'
