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
        ({"fuzzy_match": ["the red one"]}, "The red one", True),
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
    assert (await judge(rules, ending())).outcome is False


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


async def test_without_a_judge_another_answer_than_na_fails_and_says_why():
    rules = string_rules(fuzzy_match="N/A") | {"string_note": "There is no such page"}
    verdict = await judge(rules, ending("No page"))
    assert verdict.outcome is False
    assert "no judge is set" in verdict.checks[0].why
