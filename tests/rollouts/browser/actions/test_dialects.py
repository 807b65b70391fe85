from __future__ import annotations

import pytest

from rollouts.browser.actions.autowebglm import FUNCTIONS
from rollouts.browser.actions.browsergym import CALLS
from rollouts.browser.actions.dialects import DIALECTS
from rollouts.browser.actions.executor import CARRIED_OUT
from rollouts.browser.actions.webrl import KINDS

EXAMPLES = [("webrl", kind.example) for kind in KINDS.values()]
EXAMPLES += [("webrl_strict", kind.example) for kind in KINDS.values()]
EXAMPLES += [("autowebglm", function.example) for function in FUNCTIONS.values()]
EXAMPLES += [("browsergym", call.example) for call in CALLS.values()]


@pytest.mark.parametrize(("dialect", "example"), EXAMPLES)
def test_whatever_a_manual_offers_can_be_carried_out(dialect, example):
    action = DIALECTS[dialect].parse(example)
    assert action.name in CARRIED_OUT | {"Exit"}


def test_an_explanation_names_the_calls_of_its_dialect():
    error = 'use "Select Dropdown Option" with one of: "A"'
    assert DIALECTS["webrl"].word(error) == error
    assert DIALECTS["browsergym"].word(error).startswith("use select_option() with")
