from __future__ import annotations

import pytest

from rollouts.browser.evaluators.rule_sets import WEBARENA, WEBARENA_LITE
from rollouts.browser.evaluators.types import Malformed
from rollouts.browser.evaluators.urls import CONTAINED, urls_match


@pytest.mark.parametrize(
    ("wanted", "url", "passed"),
    [
        ("http://shop/cart", "http://shop/cart/", True),
        ("http://shop/cart", "http://shop/cart?x=1", True),
        ("http://shop/viewed", "http://shop/viewedasdf", True),
        ("http://shop/a |OR| http://shop/b", "http://shop/b", True),
        ("http://shop/cart", "http://shop/", False),
        ("http://shop/s?q=mug", "http://shop/s?q=mug&page=2", True),
        ("http://shop/s?q=mug", "http://shop/s?q=cup", False),
        ("http://shop/s?q=mug", "http://shop/s", False),
        ("http://shop/s?q=a |OR| http://shop/s?q=b", "http://shop/s?q=b", True),
    ],
)
def test_addresses_are_compared_as_in_webarena(wanted, url, passed):
    assert urls_match(wanted, url, WEBARENA, note=CONTAINED) is passed


@pytest.mark.parametrize(
    ("wanted", "url", "note", "passed"),
    [
        ("http://shop/cart", "http://shop/cart/", None, True),
        ("http://shop/cart", "http://shop/cart?x=1", None, False),
        ("http://shop/cart", "http://shop/cart?x=1", CONTAINED, True),
        ("http://shop/s?q=mug", "http://shop/s?page=2&q=mug", CONTAINED, False),
        ("http://localhost/a", "http://127.0.0.1/a", None, True),
        ("http://shop/a |OR| http://shop/b", "http://shop/b/", "EXACT", True),
    ],
)
def test_addresses_are_compared_as_in_webarena_lite(wanted, url, note, passed):
    assert urls_match(wanted, url, WEBARENA_LITE, note=note) is passed


@pytest.mark.parametrize("rule_set", [WEBARENA, WEBARENA_LITE])
def test_an_unknown_way_to_compare_is_refused(rule_set):
    with pytest.raises(Malformed, match="unknown url_note 'LIKE'"):
        urls_match("http://shop/", "http://shop/", rule_set, note="LIKE")
