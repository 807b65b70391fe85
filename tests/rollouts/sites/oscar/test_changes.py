from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from rollouts.sites.oscar.changes import compare, new_changes, read_shop
from tests.rollouts.sites.oscar.tables import act, write_shop


@pytest.fixture
def changes_after(tmp_path):
    """What is different once a script has run."""
    path = write_shop(tmp_path / "shop.sqlite3")

    def read() -> dict[str, Any]:
        with closing(sqlite3.connect(path)) as connection:
            return read_shop(connection)

    def run(script: str) -> dict[str, Any]:
        before = read()
        act(path, script)
        return compare(before, read())

    return run


def test_nothing_done_is_nothing_changed(changes_after):
    assert changes_after("") == new_changes()


@pytest.mark.parametrize(
    ("script", "part", "value"),
    [
        (
            "INSERT INTO basket_basket VALUES (2, 1, 'Open');"
            "INSERT INTO basket_line VALUES (2, 2, 2, 3)",
            "basket",
            {"Open Night": 3},
        ),
        (
            "INSERT INTO basket_basket VALUES (2, 1, 'Saved');"
            "INSERT INTO basket_line VALUES (2, 2, 2, 1)",
            "saved",
            {"Open Night": 1},
        ),
        (
            "INSERT INTO order_shippingaddress VALUES (2, '3 Mill Lane', '', 'LS1');"
            "INSERT INTO order_order VALUES (2, 1, 2);"
            "INSERT INTO order_line VALUES (2, 2, 'Open Night', 1)",
            "orders",
            [{"books": {"Open Night": 1}, "address": "3 Mill Lane, LS1"}],
        ),
        (
            "INSERT INTO wishlists_line VALUES (2, 1, 1, 1)",
            "wish_lists",
            {"Gifts": ["Open Night", "Quiet River"]},
        ),
        ("DELETE FROM wishlists_wishlist", "wish_lists", {"Gifts": None}),
        (
            "INSERT INTO wishlists_wishlist VALUES (2, 1, 'Gifts')",
            "wish_lists",
            {"Gifts (2)": []},
        ),
        (
            "INSERT INTO reviews_productreview VALUES (2, 2, 5, 'Fine', 'Read it.')",
            "reviews",
            [{"book": "Open Night", "score": 5, "title": "Fine", "body": "Read it."}],
        ),
        (
            "INSERT INTO reviews_vote VALUES (1, 1, -1)",
            "votes",
            [{"book": "Quiet River", "review": "Good", "helpful": False}],
        ),
        (
            "INSERT INTO customer_productalert VALUES (1, 2, 'Active')",
            "alerts",
            ["Open Night"],
        ),
        (
            "DELETE FROM address_useraddress WHERE id = 2",
            "addresses",
            {"removed": ["3 Mill Lane"]},
        ),
        (
            "UPDATE address_useraddress SET line4 = 'York' WHERE id = 2",
            "addresses",
            {"changed": {"3 Mill Lane": {"line4": "York"}}},
        ),
        (
            "INSERT INTO address_useraddress VALUES"
            " (3, 1, 0, 0, 'Robin', 'Reader', '1 Hill', '', '', 'Bath', 'BA1', '')",
            "addresses",
            {
                "added": [
                    {
                        "first_name": "Robin",
                        "last_name": "Reader",
                        "line1": "1 Hill",
                        "line4": "Bath",
                        "postcode": "BA1",
                    }
                ]
            },
        ),
        (
            "UPDATE auth_user SET email = 'n@example.com' WHERE id = 1",
            "profile",
            {"email": "n@example.com"},
        ),
        (
            "UPDATE auth_user SET password = 'hash' WHERE id = 1",
            "profile",
            {"password": "changed"},
        ),
        (
            "INSERT INTO auth_user VALUES (3, 'new', '', '', 'n@example.com', 'x')",
            "accounts",
            ["new"],
        ),
    ],
)
def test_one_deed_changes_one_part(changes_after, script, part, value):
    assert changes_after(script) == {**new_changes(), part: value}


def test_what_others_do_in_their_baskets_does_not_count(changes_after):
    script = """INSERT INTO basket_basket VALUES (2, 2, 'Open');
        INSERT INTO basket_line VALUES (2, 2, 2, 3)"""
    assert changes_after(script) == new_changes()


def test_a_shop_without_robin_has_no_profile(changes_after):
    changes = changes_after("DELETE FROM auth_user WHERE id = 1")
    assert changes["accounts"] == ["robin"]
    assert set(changes["profile"].values()) == {None, "changed"}
