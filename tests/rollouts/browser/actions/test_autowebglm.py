from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollouts.browser.actions.autowebglm import autowebglm_manual, parse_autowebglm
from rollouts.browser.types import Action


@pytest.mark.parametrize(
    ("output", "action"),
    [
        ("click('12')", Action("Click", 12)),
        ('click(element_id="12") # the cart', Action("Click", 12)),
        ("type_string('4', 'a mug', False)", Action("Type", 4, "a mug")),
        ("type_string('4', 'a mug', press_enter=True)", Action("Search", 4, "a mug")),
        ("select('9', option='Price')", Action("Select Dropdown Option", 9, "Price")),
        ("scroll_page('up')", Action("Scroll", None, "0 -720")),
        ("go('forward')", Action("Go Forward")),
        ("jump_to('/cart', False)", Action("Go To", None, "/cart")),
        ("switch_tab(1)", Action("Switch Tab", None, "1")),
        ("finish()", Action("Exit")),
        ("finish(None)", Action("Exit")),
        ("First hover('1').\nfinish('5')", Action("Exit", None, "5")),
    ],
)
def test_its_calls_are_read(output, action):
    assert parse_autowebglm(output) == action


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("I am done.", "no call"),
        ("click()", "needs element_id"),
        ("click('A')", "an id from the page"),
        ("click('1', element_id='2')", "takes no element_id"),
        ("hover(id='2')", "takes no id"),
        ("scroll_page('left')", "must be 'down' or 'up'"),
        ("jump_to('/', True)", "new_tab"),
        ("switch_tab('x')", "tab's number"),
        ("type_string('1', 2)", "text in quotes"),
        ("x" * 1_000_001, "longer than"),
    ],
)
def test_an_invalid_answer_explains_itself(output, reason):
    action = parse_autowebglm(output)
    assert action.name == ""
    assert reason in action.error


def test_the_manual_lists_its_functions():
    assert "type_string(" in autowebglm_manual()


@given(st.text())
def test_parser_answers_whatever_the_text(text):
    action = parse_autowebglm(text)
    assert bool(action.name) != bool(action.error)
