from __future__ import annotations

import pytest

from tests.rollouts.browser.evaluators.helpers import ending, judge

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


async def test_state_match_wants_no_change_on_the_tasks_other_sites():
    state = {"shop": {"cart": {"MUG": 1}}, "forum": {"votes": {"a": 1}}}
    start = {"shop": {"cart": {}}, "forum": {"votes": {}}}
    verdict = await judge(STATE_RULES, ending(state=state, state_at_start=start))
    assert verdict.outcome is False
    assert [check.why for check in verdict.checks if not check.passed] == [
        "votes changed too"
    ]
