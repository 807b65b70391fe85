from __future__ import annotations

import pytest

from rollouts.task_lint import count_kinds, lint_tasks


def task(rules=None, **changes):
    return {"key": "a.1", "intent": "Do", "start_url": "/", "eval": rules, **changes}


def strings(**answers):
    return {"eval_types": ["string_match"], "reference_answers": answers}


def page(**target):
    wanted = {"url": "last", "locator": "", "required_contents": {"exact_match": "x"}}
    return {"eval_types": ["program_html"], "program_html": [wanted | target]}


def lint(rules, **changes):
    findings = lint_tasks([("Task 1", task(rules, **changes))])
    return [(one.kind, one.field) for one in findings]


@pytest.mark.parametrize(
    "rules",
    [
        strings(exact_match="5"),
        strings(must_include=["a", "b"]),
        strings(fuzzy_match="N/A"),
        {"eval_types": ["url_match"], "reference_url": "http://shop/"},
        page(locator="document.querySelector('a').title"),
        page(url="func:reddit_get_post_url('__last_url__')"),
        {
            "eval_types": ["state_match"],
            "reference_state": [{"site": "shop", "path": "cart", "equals": {}}],
        },
    ],
)
def test_a_task_that_can_be_scored_gives_no_finding(rules):
    assert lint(rules) == []


@pytest.mark.parametrize(
    ("rules", "kind", "field"),
    [
        (strings(must_include="yjlou"), "unscorable", "string_match"),
        (strings(vibes="good"), "unscorable", "string_match.vibes"),
        (strings(), "unscorable", "string_match"),
        ({"eval_types": ["vibes"]}, "unscorable", "vibes"),
        ({"eval_types": ["page_reward"]}, "unscorable", "page_reward"),
        (
            {"eval_types": ["program_html"], "program_html": []},
            "unscorable",
            "program_html",
        ),
        ({"eval_types": ["url_match"], "reference_url": ""}, "unscorable", "url_match"),
        (page(locator="alert(1)"), "unscorable", "program_html"),
        (
            strings(fuzzy_match=["the red one"]),
            "needs judge",
            "string_match.fuzzy_match",
        ),
        (
            page(url="func:shopping_get_latest_order_url()"),
            "needs shop",
            "program_html",
        ),
        (strings(must_include=["N/A"]), "suspicious", "string_match.must_include"),
        (None, "unchecked", "eval"),
        ({}, "unchecked", "eval"),
    ],
)
def test_a_task_that_cannot_is_named_with_the_reason(rules, kind, field):
    assert lint(rules) == [(kind, field)]


def test_an_impossible_task_with_a_reason_wants_a_judge():
    rules = strings(fuzzy_match="N/A") | {"string_note": "There is none"}
    assert lint(rules) == [("needs judge", "string_match.fuzzy_match")]


def test_a_list_with_na_goes_to_the_judge_and_is_suspicious():
    kinds = [kind for kind, _ in lint(strings(fuzzy_match=["N/A"]))]
    assert kinds == ["needs judge", "suspicious"]


def test_rules_are_read_under_the_tasks_own_rule_set():
    rules = strings(one_of=["a"])
    assert lint(rules) == [("unscorable", "string_match.one_of")]
    assert lint(rules, rule_set="webarena-lite") == []


def test_the_same_instruction_twice_is_suspicious():
    good = task(strings(exact_match="5"))
    findings = lint_tasks([("Task 1", good), ("Task 2", good)])
    assert [one.message for one in findings] == ["the same instruction as Task 1"]


def test_tasks_are_counted_by_kind():
    tasks = [
        ("Task 1", task(strings(fuzzy_match=["a", "b"]))),
        ("Task 2", task(None, intent="Other")),
        ("Task 3", task(None, intent="Third")),
    ]
    assert count_kinds(lint_tasks(tasks)) == {"needs judge": 1, "unchecked": 2}


def test_a_page_that_rewards_itself_can_be_scored():
    assert lint({"eval_types": ["page_reward"]}, suite="miniwob") == []
