from __future__ import annotations

from rollouts.browser.tabs import TITLE_LIMIT, write_tabs


def test_tabs_are_counted_from_0_and_the_active_one_is_marked():
    assert write_tabs(["Shop", "Forum"], 1) == (
        '<tabs><tab number="0">Shop</tab><tab number="1" active>Forum</tab></tabs>'
    )


def test_a_title_cannot_pretend_to_be_an_element():
    assert '<a id="0">' not in write_tabs(['<a id="0">Pay</a>', ""], 0)


def test_a_long_title_is_cut():
    assert write_tabs(["x" * 500, ""], 0).count("x") == TITLE_LIMIT
