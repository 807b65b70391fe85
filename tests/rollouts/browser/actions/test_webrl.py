from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollouts.browser.actions.webrl import (
    KINDS,
    MAX_ANSWER_LENGTH,
    manual,
    parse_action,
)
from rollouts.browser.types import Action


@pytest.mark.parametrize(
    ("output", "action"),
    [
        ('do(action="Click", element="12")', Action("Click", 12)),
        ("do(action='Click', element=12)", Action("Click", 12)),
        ('do(element="12", action="click")', Action("Click", 12)),
        ('# Element: Cart\ndo(action="Click", element="3")', Action("Click", 3)),
        ('# a\n\n  # b\ndo(action="Hover", element="0")\n', Action("Hover", 0)),
        ('```python\ndo(action="Hover", element="0")\n```', Action("Hover", 0)),
        (
            'do(action="Type", argument="a \\"b\\" \\\\ c", element="4")',
            Action("Type", 4, 'a "b" \\ c'),
        ),
        (
            'do(action="Search", argument="it\'s, (x)", element="4")',
            Action("Search", 4, "it's, (x)"),
        ),
        (
            'do(action="Select Dropdown Option", argument="Price", element="9")',
            Action("Select Dropdown Option", 9, "Price"),
        ),
        ('do(action="Scroll Down")', Action("Scroll Down")),
        ('do(action="scroll  up")', Action("Scroll Up")),
        ('do(action="Wait")', Action("Wait")),
        ('do(action="Switch Tab", argument="1")', Action("Switch Tab", None, "1")),
        ('do(action="Go Backward")', Action("Go Backward")),
        ("go_backward()", Action("Go Backward")),
        ("go_forward( )", Action("Go Forward")),
        ('exit(message="N/A")', Action("Exit", None, "N/A")),
        ("exit()", Action("Exit")),
        ('exit(message="two\\nlines");', Action("Exit", None, "two\nlines")),
    ],
)
def test_parser_reads_every_way_to_write_an_action(output, action):
    assert parse_action(output) == action


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "no call"),
        ("# Element: Cart", "no call"),
        ("I will click the button.", "no call"),
        ("click(12)", "Expected name"),
        ('jump(to="12")', "no call jump()"),
        ('do(action="Click")', 'needs element="id"'),
        ('do(action="Type", element="1")', 'needs argument="text"'),
        ('do(action="Click", element="buy")', "must be an id"),
        ('do(action="Click", element="-1")', "must be an id"),
        ('do(action="Click", element="9999999")', "must be an id"),
        ('do(action="Fly", element="1")', "Unknown action"),
        ('do(element="1")', "Unknown action"),
        ('do(action="Exit")', "Unknown action"),
        ('do(action="Click", element="1"', "comma or one closing bracket"),
        ('do(action="Click" element="1")', "Expected a comma"),
        ('do(action="Click", element="1") and done', "closing bracket"),
        ('do(action="Click", element="1")\ndo(action="Wait")', "closing bracket"),
        ('do(action="Click", action="Hover", element="1")', "given twice"),
        ('do(action="Click", element="1", force="yes")', "takes no force"),
        ('exit(answer="x")', "takes no answer"),
        ('exit(message="he said "hi"")', "Expected a comma"),
        ('go_backward(steps="2")', "takes no steps"),
        ("x" * (MAX_ANSWER_LENGTH + 1), "longer than"),
    ],
)
def test_an_invalid_answer_explains_itself(output, reason):
    action = parse_action(output)
    assert action.name == ""
    assert reason in action.error


def test_arguments_an_action_does_not_take_are_left_out():
    action = parse_action('do(action="Scroll Down", argument="far", element="3")')
    assert action == Action("Scroll Down")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_manual_explains_every_action_by_an_example_that_parses(kind):
    assert parse_action(kind.example).name == kind.name
    assert f"{kind.example}  # {kind.help}" in manual()


WORDS = "do exit ( ) action = \" ' \\ , # Click element 12 message ``` argument"
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", "\x00", "__import__('os')"])


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_parser_answers_whatever_the_text(text):
    action = parse_action(text)
    assert bool(action.name) != bool(action.error)


@given(st.text(max_size=200))
def test_quoted_text_survives_the_grammar(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    output = f'do(action="Type", argument="{quoted}", element="1")'
    assert parse_action(output) == Action("Type", 1, text)


@pytest.mark.parametrize("piece", ['"', "\\", "a=", "#\n", "do(", 'a="b",', " ", "```"])
def test_parser_stays_fast_on_hostile_text(piece):
    text = "do(" + piece * (19_000 // len(piece))
    start = time.perf_counter()
    parse_action(text)
    assert time.perf_counter() - start < 0.2
