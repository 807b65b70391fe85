from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollouts.browser.actions.element_names import MAX_NAME_LENGTH, name_element

PIECES = st.sampled_from(
    [
        *("<a", "<select", ' id="3"', ' label="', '"', ">", "/>", "</a>", "\n", "\t"),
        *("RootWebArea ", "[3] ", "button ", "'", "\\", "Cart", "&lt;"),
        *("\u202e", "\ud800"),
    ]
)


@pytest.mark.parametrize(
    ("observation", "name"),
    [
        ('<button id="3">Add to cart</button><a id="4">Cart</a>', "Add to cart"),
        ('<a id="3"> <b>Grey</b> <i>Cork Clock</i></a>', "Grey Cork Clock"),
        ('<input id="3" label="Search products" value="mug"/>', "Search products"),
        ('<input type="text" id="3" placeholder="City"/>', "City"),
        ('<textarea id="3" label="Note">what was typed</textarea>', "Note"),
        ('<select id="3" label="Sort"><option>Price</option></select>', "Sort"),
        ('<a id="3">5 &lt; 6 &amp; more</a>', "5 < 6 &amp; more"),
        ('<a id="3">Cut off he', "Cut off he"),
        ('<button id="3"/>', ""),
        ('<a id="33">Other</a> id="3">Text', ""),
        ("RootWebArea 'Shop'\n\t[3] button 'Buy', clickable", "Buy"),
        ("RootWebArea 'Shop'\n\t[3] link 'Anna\\'s \\\\ cart'", "Anna's \\ cart"),
        ("RootWebArea '[3] link \\'x\\''\n\t[33] link 'Other'", ""),
    ],
)
def test_an_element_is_called_what_the_page_calls_it(observation: str, name: str):
    assert name_element(observation, 3) == name


def test_a_long_name_is_cut():
    name = name_element(f'<a id="3">{"mug " * 100}</a>', 3)

    assert len(name) <= MAX_NAME_LENGTH
    assert name.endswith("…")


def test_letters_that_turn_a_line_around_are_left_out():
    assert name_element('<a id="3">Pay\u202e 100\u200b\x00</a>', 3) == "Pay 100"


@pytest.mark.parametrize("element", [None, "3", 3.0, [3]])
def test_only_a_number_names_an_element(element: object):
    assert name_element('<a id="3">Cart</a>', element) == ""


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_read_to_a_short_line(text: str):
    name = name_element(text, 3)
    assert len(name) <= MAX_NAME_LENGTH
    assert name == name.strip()
    assert not name or name.isprintable()
