"""Walks without a task, and the instructions that are told of them afterwards."""

from __future__ import annotations

import random

import pytest

from benchmarks.learning.exploring import (
    Done,
    Explorer,
    collect_names,
    read_action,
    read_elements,
    read_facts,
    relabel,
    tell,
    write_click,
)
from rollouts.policies.protocol import PolicyRequest
from training.rl.starter.episodes import RecordedEpisode
from training.rl.types import Trajectory, Transition

HEAD = '<a id="0">Shop</a><input id="1" label="Search products"/>'
LAMP = (
    f"{HEAD}<h1>Blue Lamp</h1><p>Made in Spain</p><p>Brand Delta</p>"
    '<button id="5">Add to cart</button><select id="6" label="Size">'
    "<option>Large</option></select>"
)
LISTED = f'{HEAD}<h1>Found</h1><li><a id="4">Blue Lamp</a></li>'
SEARCH = Done("Search", "Search products", "Blue Lamp")
OPENED = [SEARCH, Done("Click", "Blue Lamp")]


def answer(page, *history, seed=0, errors=None):
    """What the explorer does on a page after some answers."""
    told = errors or ("",) * len(history)
    request = PolicyRequest("", tuple(history), tuple(told), page, seed)
    return Explorer({"Shop": ["Blue Lamp"]}).act([request])[0].output


def answers(page, *history):
    return {answer(page, *history, seed=seed) for seed in range(200)}


def written(done):
    return f'# Element: {done.label}\ndo(action="{done.kind}", argument="{done.value}")'


def told(done, page=LAMP, said=""):
    return {tell(random.Random(seed), done, page, said) for seed in range(200)}


def episode(*outputs, errors=()):
    steps = tuple(
        Transition(number, outputs[:number], errors, LAMP, output)
        for number, output in enumerate(outputs)
    )
    return RecordedEpisode("a", False, "exit", Trajectory(1, 1, "", steps, "", 0.0))


def test_a_page_is_read_as_links_buttons_and_fields():
    found = [(one.tag, one.id, one.label, one.options) for one in read_elements(LAMP)]

    assert found == [
        ("a", 0, "Shop", ()),
        ("input", 1, "Search products", ()),
        ("button", 5, "Add to cart", ()),
        ("select", 6, "Size", ("Large",)),
    ]


def test_facts_are_a_word_and_its_value():
    assert read_facts(LAMP) == [("Made in", "Spain"), ("Brand", "Delta")]


def test_names_are_collected_by_site():
    assert collect_names([LISTED, LAMP]) == {"Shop": ["Blue Lamp"]}


def test_a_walk_begins_with_a_search_or_a_link():
    calls = answers(LISTED)
    assert any('action="Search", argument="Blue Lamp", element="1"' in c for c in calls)
    assert any('action="Click", element="4"' in call for call in calls)


def test_what_was_found_is_opened():
    assert answers(LISTED, written(SEARCH)) == {
        '# Element: Blue Lamp\ndo(action="Click", element="4")'
    }


def test_a_search_without_a_result_ends_the_walk():
    assert answers(HEAD, written(SEARCH)) == {'exit(message="")'}


def test_on_a_page_everything_of_its_own_may_be_used():
    calls = answers(LAMP, *map(written, OPENED))

    assert any('element="5"' in call for call in calls)
    assert any('argument="Large", element="6"' in call for call in calls)
    assert {'exit(message="")', 'exit(message="Spain")'} <= calls
    assert not any('element="0"' in call or 'element="1"' in call for call in calls)


def test_a_failed_action_ends_the_walk():
    assert answer(LAMP, written(SEARCH), errors=("No such element.",)) == (
        'exit(message="")'
    )


def test_the_same_seed_walks_the_same_way():
    assert answer(LISTED, seed=7) == answer(LISTED, seed=7)


def test_an_answer_is_read_as_it_was_written():
    element = read_elements(LISTED)[-1]
    assert read_action(write_click(element)) == Done("Click", "Blue Lamp")
    assert read_action('exit(message="")') is None


def test_something_that_was_opened_is_asked_for():
    assert 'Open "Blue Lamp".' in told(OPENED)


def test_what_was_done_with_it_is_asked_for():
    clicked = told([*OPENED, Done("Click", "Add to cart")])
    assert "For Blue Lamp: add to cart." in clicked
    entered = told([*OPENED, Done("Type", "Quantity", "3")])
    assert 'For Blue Lamp: quantity "3".' in entered


def test_a_value_that_was_read_is_asked_for():
    assert "Tell me the made in of Blue Lamp." in told(OPENED, said="Spain")


def test_a_confirmation_is_not_asked_for():
    steps = [Done("Click", "Cancel order"), Done("Click", "Yes, cancel")]
    assert not any("Yes" in one for one in told([*OPENED, *steps]))


@pytest.mark.parametrize(
    "episode",
    [
        episode('exit(message="")'),
        episode(written(SEARCH), 'exit(message="")'),
        episode(*map(written, OPENED), 'exit(message="Mars")'),
        episode(*map(written, OPENED)),
        episode(*map(written, OPENED), 'exit(message="")', errors=("No.",)),
    ],
    ids=["nothing", "not found", "not on the page", "no end", "an error"],
)
def test_a_walk_that_solves_nothing_is_left_out(episode):
    assert relabel(random.Random(0), episode) is None


def test_a_walk_becomes_a_success():
    found = relabel(
        random.Random(0), episode(*map(written, OPENED), 'exit(message="")')
    )

    assert found is not None
    assert "Blue Lamp" in found.trajectory.instruction
    assert found.trajectory.reward == 1
