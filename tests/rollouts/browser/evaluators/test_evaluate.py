from __future__ import annotations

import pytest

from rollouts.browser.evaluators import Verdict, evaluate, find_rule_set
from tests.rollouts.browser.evaluators.helpers import (
    FakeReader,
    ending,
    judge,
    string_rules,
)


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
    "rules",
    [
        {"eval_types": ["string_match"], "reference_answers": ["x"]},
        {"eval_types": ["url_match"], "reference_url": ""},
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


@pytest.mark.parametrize(
    ("rule_set", "outcome"), [("webarena", True), ("webarena-lite", False)]
)
async def test_a_task_names_its_rule_set(rule_set, outcome):
    spec = {"rule_set": rule_set, "eval": string_rules(exact_match="a")}
    verdict = await evaluate(spec, ending(" a"), FakeReader({}))
    assert verdict.outcome is outcome


async def test_an_unknown_rule_set_decides_nothing_and_names_the_known():
    spec = {"rule_set": "mine", "eval": string_rules(exact_match="a")}
    verdict = await evaluate(spec, ending("a"), FakeReader({}))
    assert verdict.outcome is None
    assert "webarena, webarena-lite, browsergym" in verdict.checks[0].why


def test_rule_sets_are_found_by_name():
    assert find_rule_set("webarena-lite").joins_fuzzy
    with pytest.raises(KeyError, match="known are webarena"):
        find_rule_set("mine")
