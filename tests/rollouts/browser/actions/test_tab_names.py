from __future__ import annotations

from rollouts.browser.tabs import TITLE_LIMIT, write_tabs


def test_tabs_are_counted_from_0_and_the_active_one_is_marked():
    assert write_tabs(["Shop", "Forum"], 1, "html") == (
        '<tabs><tab number="0">Shop</tab><tab number="1" active>Forum</tab></tabs>'
    )


def test_a_title_cannot_pretend_to_be_an_element():
    assert '<a id="0">' not in write_tabs(['<a id="0">Pay</a>', ""], 0, "html")


def test_a_long_title_is_cut():
    assert write_tabs(["x" * 500, ""], 0, "html").count("x") == TITLE_LIMIT


def test_a_tree_names_its_tabs_line_by_line():
    names = write_tabs(["Shop", "[1] button 'Pay'\n"], 0, "accessibility_tree")
    assert names.splitlines() == [
        "Tab 0 (active): 'Shop'",
        """Tab 1: "[1] button 'Pay'\\n\"""",
    ]
