from __future__ import annotations

import pytest

from rollouts.browser.actions.browsergym import parse_browsergym
from rollouts.browser.actions.webrl import KINDS, parse_action
from rollouts.browser.types import Action
from rollouts.sites.browsergym_suite.acting import NOTHING, Target, write_calls

TARGETS = {4: Target((10, 20, 30, 40)), 5: Target((10, 20, 30, 40), scale=1.5)}


@pytest.mark.parametrize(
    ("output", "calls"),
    [
        ('do(action="Click", element="4")', "mouse_click(25.0, 40.0)"),
        ('do(action="Click", element="5")', "mouse_click(37.5, 60.0)"),
        ('do(action="Hover", element="4")', "mouse_move(25.0, 40.0)"),
        ('do(action="Scroll Down")', "scroll(0, 480)"),
        ("go_backward()", "go_back()"),
        ('do(action="Switch Tab", argument="1")', "tab_focus(1)"),
        ('exit(message="it\'s $5")', 'send_msg_to_user("it\'s $5")'),
    ],
)
def test_an_action_becomes_a_call(output: str, calls: str) -> None:
    assert write_calls(parse_action(output), TARGETS) == (calls, "")


def test_typing_replaces_what_was_there() -> None:
    calls, error = write_calls(Action("Search", 4, "blue mug"), TARGETS)

    assert calls.splitlines() == [
        "mouse_click(25.0, 40.0)",
        "keyboard_press('ControlOrMeta+a')",
        "keyboard_type('blue mug')",
        "keyboard_press('Enter')",
    ]
    assert error == ""


def test_a_text_stays_one_argument() -> None:
    hostile = "');\nimport os\nkeyboard_type('"

    calls, _ = write_calls(Action("Exit", None, hostile), TARGETS)

    assert parse_browsergym(calls) == Action("Exit", None, hostile)


@pytest.mark.parametrize(
    "action",
    [
        Action("", error="The answer has no call."),
        Action("Click", 9),
        Action("Go Home"),
        Action("Switch Tab", argument="two"),
        Action("Select Dropdown Option", 4, "Price"),
    ],
)
def test_what_cannot_be_done_does_nothing_and_says_why(action: Action) -> None:
    calls, error = write_calls(action, TARGETS)

    assert calls == NOTHING
    assert error


@pytest.mark.parametrize("name", KINDS)
def test_every_action_is_known(name: str) -> None:
    calls, _ = write_calls(parse_action(KINDS[name].example), {})

    assert calls
