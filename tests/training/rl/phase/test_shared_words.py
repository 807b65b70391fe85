"""Copies in which other words than names differ, where instruction and page agree."""

from __future__ import annotations

import random

from tests.training.rl.phase.test_exchange import episode
from training.rl.phase.augmentation import augment, augment_all
from training.rl.phase.shared_words import exchange_shared

PAGE = '<a id="3">Prices</a><input id="4" type="price" label="Price"/><p>Yes</p>'
ASKED = episode(
    'Set the price of "Blue Lamp" from here.',
    PAGE,
    '# Element: Price\ndo(action="Type", argument="9", element="4")',
)
NAMES = ["Blue", "Lamp"]
LEAVE = 'exit(message="")'


def exchanges(trajectory, words=("Violin",), names=NAMES):
    """What fifty draws replace."""
    return [
        exchange_shared(random.Random(seed), trajectory, names, list(words))
        for seed in range(50)
    ]


def copies(words=("Violin",)):
    """Copies in which the word was replaced."""
    found = [augment(random.Random(s), ASKED, list(words), "shared") for s in range(50)]
    return [copy for copy in found if "violin" in copy.instruction]


def test_a_word_of_the_instruction_and_the_page_is_replaced_in_both():
    first = copies()[0].transitions[0]

    assert copies()[0].instruction.startswith("Set the violin of ")
    assert 'label="Violin"' in first.observation
    assert first.output.startswith("# Element: Violin\n")


def test_its_plural_is_replaced_as_well():
    assert ">Violins<" in copies()[0].transitions[0].observation


def test_the_markup_stays():
    assert 'type="price"' in copies()[0].transitions[0].observation


def test_a_word_that_only_one_of_them_has_stays():
    assert {word for one in exchanges(ASKED) for word in one} == {
        *("price", "Price", "prices", "Prices")
    }


def test_some_copies_keep_it():
    found = exchanges(ASKED)
    assert {} in found
    assert any(found)


def test_names_are_left_to_the_other_exchange():
    named = episode('Open "Price".', PAGE, LEAVE)
    assert not any(exchanges(named, names=["Price"]))


def test_no_new_word_is_on_the_page_already():
    page = "<p>Price</p><p>Violins</p>"
    told = episode("Tell me the price.", page, LEAVE)
    assert not any(exchanges(told))
    assert any(exchanges(told, words=["Violin", "Kettle"]))


def test_two_words_never_become_one():
    told = episode("Show price and stock.", "<p>Price</p><p>Stock</p>", LEAVE)
    assert all(
        one.get("price") is None or one.get("price") != one.get("stock")
        for one in exchanges(told, words=["Violin"])
    )


def test_without_other_words_nothing_is_replaced():
    assert not any(exchanges(ASKED, words=[]))


def test_copies_have_other_names_alone_unless_asked():
    alone = augment_all([ASKED], 30, 0)
    asked = augment_all([ASKED], 30, 0, "shared")

    assert all("the price of" in copy.instruction for copy in alone)
    assert not all("the price of" in copy.instruction for copy in asked)
