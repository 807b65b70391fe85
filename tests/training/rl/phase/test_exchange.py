"""Copies under other names: the grammar and the markup of what was recorded stay."""

from __future__ import annotations

import dataclasses
import random

import pytest

from rollouts.browser.actions.dialects import DIALECTS
from rollouts.browser.actions.webrl import KEYWORDS, KINDS, parse_action
from training.rl.phase.augmentation import acts_alike, augment, augment_all
from training.rl.phase.exchange import (
    asks_the_same,
    exchange_in_answer,
    exchange_on_page,
)
from training.rl.types import Trajectory, Transition

WORDS = ["Boston", "Harbor", "Kettle"]
TO_BOSTON = {
    word: "boston" if word.islower() else "Boston"
    for name in [*KINDS, *KEYWORDS, *set().union(*KEYWORDS.values())]
    for word in name.split()
}


def episode(instruction: str, page: str, *outputs: str) -> Trajectory:
    steps = tuple(
        Transition(number, outputs[:number], ("",) * number, page, output)
        for number, output in enumerate(outputs)
    )
    return Trajectory(1, 1, instruction, steps, page, 1.0)


TICKED = episode(
    'Tick off "Move message list" in form 3.',
    '<form id="3" label="Move message list"><li>Move message list</li></form>',
    '# Element: Move message list\ndo(action="Click", element="3")',
    'exit(message="Move message list")',
)


def is_alike(recorded, copy):
    """Whether all answers are read, and ask for the same."""
    read = [
        (parse_action(one.output), parse_action(other.output))
        for one, other in zip(recorded.transitions, copy.transitions, strict=True)
    ]
    return all(one.name == other.name for one, other in read)


def test_a_task_that_quotes_the_grammar_s_words_ends_as_before():
    copies = [augment(random.Random(seed), TICKED, WORDS) for seed in range(50)]
    assert all(is_alike(TICKED, copy) for copy in copies)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_no_name_changes_what_an_action_does(kind):
    found = exchange_in_answer(kind.example, TO_BOSTON)
    assert parse_action(found) == parse_action(kind.example)


def test_what_an_action_types_and_says_is_exchanged_all_the_same():
    output = '# Element: Type\ndo(action="Type", argument="Type message", element="3")'
    assert exchange_in_answer(output, TO_BOSTON) == (
        '# Element: Boston\ndo(action="Type", argument="Boston boston", element="3")'
    )


@pytest.mark.parametrize(
    ("dialect", "output"),
    [
        ("browsergym", "fill(bid='4', value='a value to fill')"),
        ("autowebglm", 'type_string(element_id="4", content="a content")'),
    ],
)
def test_other_dialects_keep_their_words_as_well(dialect, output):
    exchange = dict.fromkeys(["fill", "value", "content"], "boston")
    found = DIALECTS[dialect].parse(exchange_in_answer(output, exchange))
    assert (found.name, found.element) == ("Type", 4)
    assert found.argument.split()[1] == "boston"


def test_tags_and_attributes_keep_their_names_and_types():
    page = (
        '<form id="3" title="a form"><input id="4" type="button" value="label" '
        'label="button" checked/>form button</form>'
    )
    names = ["form", "button", "title", "label", "value", "checked", "input", "type"]
    assert exchange_on_page(page, dict.fromkeys(names, "boston")) == (
        '<form id="3" title="a boston"><input id="4" type="button" value="boston" '
        'label="boston" checked/>boston boston</form>'
    )


def test_a_tag_whose_quotes_do_not_close_keeps_its_name():
    page = '<table title="5" wide table"><td>table</td></table'
    assert exchange_on_page(page, {"table": "boston"}) == (
        '<table title="5" wide boston"><td>boston</td></table'
    )


@pytest.mark.parametrize(
    ("seed", "recorded", "copied"),
    [
        (
            1,
            episode(
                'Open order 17 of "Blue lamp".',
                '<h1>Order 17</h1><a id="17" title="Blue lamp">17</a>',
                '# Element: Blue lamp\ndo(action="Click", element="17")',
                'exit(message="17")',
            ),
            episode(
                'Open order 18 of "Harbor lamp".',
                '<h1>Order 18</h1><a id="17" title="Harbor lamp">18</a>',
                '# Element: Harbor lamp\ndo(action="Click", element="17")',
                'exit(message="18")',
            ),
        ),
        (
            0,
            episode(
                'Search the Shop for "red mugs" below 30.',
                '<input id="3" type="search" label="Shop"/><p>30 red mugs</p>',
                'do(action="Search", argument="red mugs", element="3")',
            ),
            episode(
                'Search the Shop for "red harbor" below 30.',
                '<input id="3" type="search" label="Shop"/><p>30 red harbor</p>',
                'do(action="Search", argument="red harbor", element="3")',
            ),
        ),
        (
            1,
            episode(
                "Set Anna as the author.",
                '<select id="9"><option selected>Anna</option></select>',
                'do(action="Select Dropdown Option", argument="Anna", element="9")',
            ),
            episode(
                "Set Boston as the author.",
                '<select id="9"><option selected>Boston</option></select>',
                'do(action="Select Dropdown Option", argument="Boston", element="9")',
            ),
        ),
    ],
)
def test_copies_without_such_words_are_those_of_earlier_versions(
    seed, recorded, copied
):
    assert augment(random.Random(seed), recorded, WORDS) == copied


def test_such_a_word_takes_no_draw_from_later_copies():
    other = episode('Open "Blue lamp" 17.', "Blue lamp 17", "exit()")
    named = dataclasses.replace(TICKED, instruction='Tick off "list" in form 3.')
    quoted = dataclasses.replace(TICKED, instruction='Tick off "message" in form 3.')
    copies = [augment_all([one, other], 3, seed=0)[1::2] for one in (named, quoted)]
    assert copies[0] == copies[1]


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ('exit(message="3")', 'exit(boston="3")', False),
        ('do(action="Click", element=17)', 'do(action="Click", element=23)', False),
        ("click('17')", "click('23')", False),
        ('exit(message="Anna")', 'exit(message="Wim")', True),
        ("no call of Anna", "no call of Wim", True),
    ],
)
def test_an_answer_must_ask_for_the_same_as_before(before, after, is_same):
    assert asks_the_same(before, after) == is_same


def test_a_copy_that_acts_on_another_element_is_left_out():
    # Without quotes the id is a number like any other.
    recorded = episode("Open order 17.", "17", 'do(action="Click", element=17)')
    copies = [augment(random.Random(seed), recorded, []) for seed in range(20)]
    kept = augment_all([recorded], 20, seed=0)
    assert not all(acts_alike(recorded, copy) for copy in copies)
    assert len(kept) < 20
    assert {copy.instruction for copy in kept} <= {"Open order 17."}
