from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollouts.browser.actions.calls import MAX_ANSWER_LENGTH
from rollouts.browser.actions.webrl import (
    KINDS,
    manual,
    parse_action,
    parse_strictly,
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
        ("click(12)", "no call"),
        ("what to do(first)?", "no call"),
        ('do(action="Click")', 'needs element="id"'),
        ('do(action="Type", element="1")', 'needs argument="text"'),
        ('do(action="Click", element="buy")', "must be an id"),
        ('do(action="Click", element="-1")', "must be an id"),
        ('do(action="Click", element="9999999")', "must be an id"),
        ('do(action="Fly", element="1")', "Unknown action"),
        ('do(element="1")', "Unknown action"),
        ('do(action="Exit")', "Unknown action"),
        ('do(action="Click", element="1"', "one closing bracket"),
        ('do(action="Click" element="1")', "one closing bracket"),
        ('do(action="Wait")\ndo(action="Click", element="1"', "closing bracket"),
        ('do(action="Click", action="Hover", element="1")', "given twice"),
        ('do(action="Type", argument=None, element="1")', "needs argument"),
        ('do(action="Type", argument=[1], element="1")', "must be a text"),
        ('do(action="Type", argument="\\x4", element="1")', "no character"),
        ('exit(answer="x")', "takes message"),
        ('exit("x")', "takes message"),
        ('exit(message="he said "hi"")', "closing bracket"),
        ("do(action=" + "(" * 30 + ")" * 30 + ")", "closing bracket"),
        ("x" * (MAX_ANSWER_LENGTH + 1), "longer than"),
    ],
)
def test_an_invalid_answer_explains_itself(output, reason):
    action = parse_action(output)
    assert action.name == ""
    assert reason in action.error


CLICK = 'do(action="Click", element="12")'


@pytest.mark.parametrize(
    ("output", "repairs"),
    [
        (f"# Element: Cart\n{CLICK}\n", ()),
        (f"```python\n{CLICK}\n```", ()),
        (f"I take the cart.\n{CLICK}", ("text before the call",)),
        (f'<think>do(action="Wait")?</think>{CLICK}', ("several calls",)),
        (f"- {CLICK}", ("text before the call",)),
        (f"{CLICK}  # the cart", ("a comment after the call",)),
        (f"{CLICK} and done", ("text after the call",)),
        ('do(action="Wait")\n' + CLICK, ("several calls",)),
        ('do(action="Click", element="12", force=[1])', ("further arguments",)),
        ('do("x", action="Click", element="12")', ("further arguments",)),
        (
            'do(action="Click", argument=None, element="12")',
            ("an argument without a value",),
        ),
        ('do(action="""Click""", element="12")', ("other quotes",)),
        ('do(action="Cli" "ck", element=r"12")', ("other quotes",)),
        ('do(action=("Click"), element="12")', ()),
        (f'# exit(message="no")\n{CLICK}', ("several calls",)),
    ],
)
def test_the_last_call_is_read_and_each_repair_is_named(output, repairs):
    action = parse_action(output)
    assert (action, action.repairs) == (Action("Click", 12), repairs)


@pytest.mark.parametrize(
    "output", [f"# Element: Cart\n{CLICK}\n", f"```\n{CLICK}\n```"]
)
def test_the_strict_parser_takes_plain_answers(output):
    assert parse_strictly(output) == Action("Click", 12)


def test_the_strict_parser_says_what_is_not_plain():
    action = parse_strictly(f"I take the cart.\n{CLICK}")
    assert action.name == ""
    assert "text before the call" in action.error


def test_a_call_inside_a_text_is_no_call():
    output = """do(action="Type", argument="exit(message='x')", element="1")"""
    assert parse_action(output) == Action("Type", 1, "exit(message='x')")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"a\tb\x41\u00e9\101", "a\tbAéA"),
        (r"\N{BULLET}", "•"),
        (r"\d \'", "\\d '"),
        ("a\\\nb", "ab"),
    ],
)
def test_escapes_are_decoded_as_in_python(written, text):
    output = f'do(action="Type", argument="{written}", element="1")'
    assert parse_action(output) == Action("Type", 1, text)


def test_two_answers_are_equal_whatever_was_repaired():
    assert parse_action(f"I say: {CLICK}") == parse_action(CLICK)


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


PIECES_OF_A_MEGABYTE = (
    *('"', "\\", "a=", "#\n", "do(", 'a="b",', " ", "```", "(", "[", '"""', "exit "),
    *('do(action="', "\t", "do(a,", 'do(action="x",', "x(", "\\N{", '"a" ', "\n"),
)


@pytest.mark.parametrize("piece", PIECES_OF_A_MEGABYTE)
def test_parser_stays_fast_on_a_megabyte_of_hostile_text(piece):
    text = "do(" + piece * ((MAX_ANSWER_LENGTH - 3) // len(piece))
    start = time.process_time()
    parse_action(text)
    assert time.process_time() - start < 5
