from __future__ import annotations

import pytest

from tests.rollouts.browser.evaluators.helpers import (
    FakeJudge,
    ending,
    judge,
    string_rules,
)


@pytest.mark.parametrize(
    ("answers", "answer", "outcome"),
    [
        ({"exact_match": "$12.50"}, ' "$12.50" ', True),
        ({"exact_match": "$12.50"}, "It costs $12.50", False),
        ({"must_include": ["red", "blue"]}, "Red and blue", True),
        ({"must_include": ["red", "blue"]}, "Red", False),
        ({"must_include": ["red |OR| blue"]}, "blue", False),
        ({"fuzzy_match": "N/A"}, "n/a", True),
        ({"fuzzy_match": "N/A"}, "none", False),
        ({"exact_match": "x"}, "\"'x'\"", True),
        ({"exact_match": "x"}, "' x '", True),
        ({"fuzzy_match": ["the red one"]}, "The red one", None),
        ({"fuzzy_match": ["the red one"]}, "red", None),
        ({"fuzzy_match": ["x"], "must_include": ["y"]}, "z", False),
        ({"starts_with": "a"}, "abc", None),
        (None, "", None),
    ],
)
async def test_answers_under_webarenas_rules(answers, answer, outcome):
    rules = {"eval_types": ["string_match"], "reference_answers": answers}
    assert (await judge(rules, ending(answer))).outcome is outcome


@pytest.mark.parametrize(
    ("answers", "answer", "outcome"),
    [
        ({"must_include": ["red |OR| blue"]}, "a blue one", True),
        ({"must_exclude": ["red"]}, "a blue one", True),
        ({"must_exclude": ["red"]}, "a red one", False),
        ({"one_of": ["red", "blue"]}, "light-blue", True),
        ({"one_of": ["red", "blue"]}, "green", False),
        ({"required_values": [">= 3", "< 5"]}, "4", True),
        ({"required_values": [">= 3", "< 5"]}, "5,000", False),
        ({"required_values": [">= 3"]}, "four", False),
    ],
)
async def test_answers_under_webarena_lites_rules(answers, answer, outcome):
    end = ending(answer)
    verdict = await judge(string_rules(**answers), end, rule_set="webarena-lite")
    assert verdict.outcome is outcome


@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [("webarena", None), ("webarena-lite", None), ("browsergym", False)],
)
async def test_a_text_where_a_list_is_wanted_cannot_be_scored(rule_set, outcome):
    """As in task 81 of WebArena-Lite: BrowserGym counts it as failed."""
    rules = string_rules(must_include="yjlou")
    verdict = await judge(rules, ending("yjlou"), rule_set=rule_set)
    assert verdict.outcome is outcome
    assert "must be a list of texts" in verdict.checks[0].why


async def test_browsergym_takes_silence_for_an_answer():
    rules = string_rules(exact_match="whatever")
    assert (await judge(rules, ending(), rule_set="browsergym")).outcome is True
    silent = ending(has_exited=True)
    assert (await judge(rules, silent, rule_set="browsergym")).outcome is False
    assert (await judge(rules, ending())).outcome is False


@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [("webarena", True), ("webarena-lite", True), ("workbench", False)],
)
async def test_published_rules_take_the_reason_of_a_stop_for_the_answer(
    rule_set, outcome
):
    rules = string_rules(must_include=["30"])
    stopped = ending(stop="Early stop: Reach max steps 30")
    assert (await judge(rules, stopped, rule_set=rule_set)).outcome is outcome


@pytest.mark.parametrize(
    ("rule_set", "outcome"),
    [("workbench", True), ("webarena", None), ("webarena-lite", None)],
)
async def test_equal_words_need_a_judge_under_published_rules(rule_set, outcome):
    rules = string_rules(fuzzy_match=["the red one"])
    verdict = await judge(rules, ending("The red one"), rule_set=rule_set)
    assert verdict.outcome is outcome


async def test_the_judge_is_given_the_cleaned_answer_and_the_rule_sets_prompts():
    model = FakeJudge(True)
    rules = string_rules(fuzzy_match=["red"])
    await judge(rules, ending(' "Scarlet"'), rule_set="browsergym", model=model)
    assert (model.answers, model.prompts) == (["scarlet"], ["webarena"])


async def test_the_word_on_a_reason_replaces_what_was_checked_before_it():
    rules = string_rules(must_include=["no"], fuzzy_match="N/A")
    rules |= {"string_note": "There is no such page"}
    assert (await judge(rules, ending("impossible"))).outcome is None
    verdict = await judge(rules, ending("impossible"), model=FakeJudge(True))
    assert verdict.outcome is True


@pytest.mark.parametrize("says", [True, False, None])
async def test_a_judge_compares_meanings(says):
    rules = string_rules(fuzzy_match=["the red one"])
    verdict = await judge(rules, ending("the scarlet one"), model=FakeJudge(says))
    assert verdict.outcome is says


@pytest.mark.parametrize(
    ("rule_set", "asked"),
    [("webarena", ["red", "blue"]), ("webarena-lite", ["red, blue"])],
)
async def test_references_are_judged_one_by_one_or_together(rule_set, asked):
    model = FakeJudge(True)
    rules = string_rules(fuzzy_match=["red", "blue"])
    await judge(rules, ending("both"), rule_set=rule_set, model=model)
    assert model.asked == asked


async def test_a_judge_compares_the_reasons_of_the_impossible():
    rules = string_rules(fuzzy_match="N/A") | {"string_note": "There is no such page"}
    model = FakeJudge(True)
    verdict = await judge(rules, ending("I found no such page"), model=model)
    assert verdict.outcome is True
    assert model.asked == ["There is no such page"]


async def test_no_judge_is_asked_where_the_words_agree():
    model = FakeJudge(False)
    rules = string_rules(fuzzy_match="N/A") | {"string_note": "There is no such page"}
    assert (await judge(rules, ending("N/A"), model=model)).outcome is True
    assert model.asked == []


async def test_without_a_judge_nothing_can_be_said_of_a_reason():
    rules = string_rules(fuzzy_match="N/A") | {"string_note": "There is no such page"}
    verdict = await judge(rules, ending("No page"))
    assert verdict.outcome is None
    assert "no judge is set" in verdict.checks[0].why


async def test_our_own_rules_fail_an_agent_that_gave_no_reason():
    rules = string_rules(fuzzy_match="N/A") | {"string_note": "There is no such page"}
    verdict = await judge(rules, ending(), rule_set="workbench", model=FakeJudge(True))
    assert verdict.outcome is False
