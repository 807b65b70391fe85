from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollouts.browser.actions.browsergym import (
    CALLS,
    MAX_ANSWER_LENGTH,
    browsergym_manual,
    parse_browsergym,
)
from rollouts.browser.actions.keys import explain_keys
from rollouts.browser.types import Action


@pytest.mark.parametrize(
    ("output", "action"),
    [
        ("click('12')", Action("Click", 12)),
        ("click(12)", Action("Click", 12)),
        ('click(bid="12", button="right")', Action("Right Click", 12)),
        ("# the cart\nclick('3')  # go", Action("Click", 3)),
        ("```python\nhover('0')\n```", Action("Hover", 0)),
        ("dblclick('0')", Action("Double Click", 0)),
        ("fill('4', 'it\\'s (\"x\")')", Action("Type", 4, 'it\'s ("x")')),
        ("fill('4', 'a\\nb')", Action("Type", 4, "a\nb")),
        ("clear('4')", Action("Type", 4)),
        ("select_option('9', 'Price')", Action("Select Dropdown Option", 9, "Price")),
        ("select_option('9', ['Price'])", Action("Select Dropdown Option", 9, "Price")),
        ("focus('9')", Action("Focus", 9)),
        ("press('12', 'Control+a')", Action("Press", 12, "Control+a")),
        ("scroll(0, 200)", Action("Scroll", None, "0 200")),
        ("scroll(-10.5, -200)", Action("Scroll", None, "-10.5 -200")),
        ("goto('__SHOP__/cart')", Action("Go To", None, "__SHOP__/cart")),
        ("go_back()", Action("Go Backward")),
        ("go_forward()", Action("Go Forward")),
        ("new_tab()", Action("New Tab")),
        ("tab_focus(1)", Action("Switch Tab", None, "1")),
        ("tab_close()", Action("Close Tab")),
        ("noop()", Action("Wait", None, "1")),
        ("noop(250)", Action("Wait", None, "0.25")),
        ("send_msg_to_user('$12.50')", Action("Exit", None, "$12.50")),
        ("report_infeasible('no such mug')", Action("Exit", None, "N/A")),
    ],
)
def test_every_call_is_read(output, action):
    assert parse_browsergym(output) == action


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "there is no call"),
        ("# nothing", "there is no call"),
        ("I will click.", "no call such as click('12')"),
        ("click('1')\nclick('2')", "there is 2 statements"),
        ("x = click('1')", "no call such as"),
        ("jump('1')", "There is no call jump()"),
        ("os.system('ls')", "There is no call os.system()"),
        ("click()", "click() needs bid, as in click('12')"),
        ("fill('1')", "fill() needs value"),
        ("click('1', 'left', [], 4)", "takes 3 values at most"),
        ("click('1', force=True)", "takes no force"),
        ("click('1', **{'a': 1})", "takes no **"),
        ("click('1', bid='2')", "bid is given twice"),
        ("click('buy')", "bid must be an id"),
        ("click('1', button='middle')", "button must be 'left' or 'right'"),
        ("click('1', modifiers=['Shift'])", "keys held down are not offered"),
        ("fill('1', 2)", "value must be a text in quotes"),
        ("fill('1', open('x').read())", "value must be a text or a number"),
        ("fill('1', f'{1+1}')", "value must be a text or a number"),
        ("fill('1', 'a' + 'b')", "value must be a text or a number"),
        ("select_option('1', ['a', 'b'])", "one option at a time"),
        ("scroll(0, 'far')", "delta_y must be a number"),
        ("scroll(0, 1e9)", "delta_y must lie in"),
        ("scroll(0, True)", "delta_y must be a number"),
        ("noop(60000)", "wait_ms must lie in 0 to 10000"),
        ("tab_focus(-1)", "index must lie in"),
        ("click('1'", "was never closed"),
        ("click('\x00')", "no call such as"),
        ("(" * 500, "no call such as"),
        ("x" * (MAX_ANSWER_LENGTH + 1), "longer than"),
    ],
)
def test_an_invalid_answer_explains_itself(output, reason):
    action = parse_browsergym(output)
    assert action.name == ""
    assert reason in action.error


@pytest.mark.parametrize("call", CALLS.values(), ids=lambda call: call.name)
def test_the_manual_explains_every_call_by_an_example_that_parses(call):
    assert parse_browsergym(call.example).error == ""
    assert f"{call.example}  # {call.help}" in browsergym_manual()


WORDS = "click ( ) '12' , = [ ] { } * \\ # fill lambda : 1e999 -1 __import__ await"
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", "\x00", "'\\d'", '"""'])


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_parser_answers_whatever_the_text(text):
    action = parse_browsergym(text)
    assert bool(action.name) != bool(action.error)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_quoted_text_survives_the_grammar(text):
    assert parse_browsergym(f"fill('1', {text!r})") == Action("Type", 1, text)


@pytest.mark.parametrize("keys", ["Enter", "a", "+", "Control++", "Control+Shift+a"])
def test_keys_and_keys_held_down_may_be_pressed(keys):
    assert explain_keys(keys) == ""


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ("", "no key ''"),
        ("Return", "no key 'Return'"),
        ("\u00e9", "no key"),
        ("Hyper+a", "'Hyper' cannot be held down"),
        ("++", "no key ''"),
        ("Control+", "no key ''"),
    ],
)
def test_a_key_that_there_is_not_is_named(keys, error):
    assert error in explain_keys(keys)
