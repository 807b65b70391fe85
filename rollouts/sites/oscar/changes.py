"""What an episode has changed in the shop, read from its database.

Only changes that a person would name: Robin's basket, orders, wish lists, reviews and
profile. Oscar's own records (visits, totals, stock) are left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Rows = Sequence[tuple[Any, ...]]
USERNAME = "robin"
ADDRESS_FIELDS = (
    "is_default_for_shipping",
    "is_default_for_billing",
    "first_name",
    "last_name",
    "line1",
    "line2",
    "line3",
    "line4",
    "postcode",
    "phone_number",
)
PERSON_FIELDS = ("first_name", "last_name", "email", "password")
_LINES = """
    SELECT product.title, line.quantity
    FROM basket_line AS line
    JOIN basket_basket AS basket ON basket.id = line.basket_id
    JOIN catalogue_product AS product ON product.id = line.product_id
    WHERE basket.owner_id = :robin AND basket.status = :status
    ORDER BY line.id"""
_QUERIES: Mapping[str, str] = {
    "orders": """
        SELECT placed.id, address.line1, address.line4, address.postcode
        FROM order_order AS placed
        LEFT JOIN order_shippingaddress AS address
          ON address.id = placed.shipping_address_id
        WHERE placed.user_id = :robin ORDER BY placed.id""",
    "order_lines": """
        SELECT line.order_id, line.title, line.quantity
        FROM order_line AS line JOIN order_order AS placed ON placed.id = line.order_id
        WHERE placed.user_id = :robin ORDER BY line.id""",
    "wish_lists": """
        SELECT id, name FROM wishlists_wishlist WHERE owner_id = :robin ORDER BY id""",
    "wish_lines": """
        SELECT line.wishlist_id, product.title, line.quantity
        FROM wishlists_line AS line
        JOIN catalogue_product AS product ON product.id = line.product_id
        ORDER BY product.title""",
    "reviews": """
        SELECT review.id, product.title, review.score, review.title, review.body
        FROM reviews_productreview AS review
        JOIN catalogue_product AS product ON product.id = review.product_id
        ORDER BY review.id""",
    "votes": """
        SELECT vote.id, product.title, review.title, vote.delta
        FROM reviews_vote AS vote
        JOIN reviews_productreview AS review ON review.id = vote.review_id
        JOIN catalogue_product AS product ON product.id = review.product_id
        ORDER BY vote.id""",
    "alerts": """
        SELECT alert.id, product.title FROM customer_productalert AS alert
        JOIN catalogue_product AS product ON product.id = alert.product_id
        WHERE alert.status IN ('Active', 'Unconfirmed') ORDER BY alert.id""",
    "addresses": """
        SELECT id, is_default_for_shipping, is_default_for_billing, first_name,
          last_name, line1, line2, line3, line4, postcode, phone_number
        FROM address_useraddress WHERE user_id = :robin ORDER BY id""",
    "people": """
        SELECT username, first_name, last_name, email, password FROM auth_user
        ORDER BY id""",
}


def read_shop(connection: sqlite3.Connection) -> Json:
    """The rows that the change set depends on; raises sqlite3.Error.

    Robin is found by a name that no page can change.
    """
    found = connection.execute(
        "SELECT id FROM auth_user WHERE username = ?", [USERNAME]
    ).fetchone()
    robin = {"robin": found[0] if found else None}
    shop: Json = {
        name: connection.execute(query, robin).fetchall()
        for name, query in _QUERIES.items()
    }
    for name, status in (("basket", "Open"), ("saved", "Saved")):
        shop[name] = connection.execute(_LINES, {**robin, "status": status}).fetchall()
    return shop


def compare(before: Json, after: Json) -> Json:
    """The change set between two readings: plain JSON, empty parts where all is equal.

    `basket` and `saved` hold titles with their quantities and are empty at the start;
    `wish_lists` holds the titles of each list that differs, None for a deleted one.
    """
    return {
        "basket": dict(after["basket"]),
        "saved": dict(after["saved"]),
        "orders": _orders(_new(before, after, "orders"), after["order_lines"]),
        "wish_lists": _differing(_wishes(before), _wishes(after)),
        "reviews": [
            {"book": book, "score": score, "title": title, "body": body}
            for _, book, score, title, body in _new(before, after, "reviews")
        ],
        "votes": [
            {"book": book, "review": review, "helpful": delta > 0}
            for _, book, review, delta in _new(before, after, "votes")
        ],
        "alerts": [title for _, title in _new(before, after, "alerts")],
        "addresses": _addresses(before["addresses"], after["addresses"]),
        **_people(before["people"], after["people"]),
    }


def new_changes() -> Json:
    """The change set of an episode that has not begun."""
    empty: Json = {name: [] for name in (*_QUERIES, "basket", "saved")}
    return compare(empty, empty)


def _new(before: Json, after: Json, name: str) -> Rows:
    """Rows that are new or were different."""
    known = set(before[name])
    return [row for row in after[name] if row not in known]


def _orders(orders: Rows, lines: Rows) -> list[Json]:
    return [
        {
            "books": {title: count for key, title, count in lines if key == order},
            "address": ", ".join(filter(None, address)),
        }
        for order, *address in orders
    ]


def _wishes(shop: Json) -> dict[str, list[str]]:
    """Titles by the list's name; a second list of that name is called "NAME (2)"."""
    lists: dict[str, list[str]] = {}
    for key, name in shop["wish_lists"]:
        number = 1 + sum(other.partition(" (")[0] == name for other in lists)
        titles = [title for owner, title, _ in shop["wish_lines"] if owner == key]
        lists[name if number == 1 else f"{name} ({number})"] = titles
    return lists


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """New or changed entries; None for removed ones."""
    keys = [*before, *(key for key in after if key not in before)]
    return {key: after.get(key) for key in keys if before.get(key) != after.get(key)}


def _addresses(before: Rows, after: Rows) -> Json:
    """`added` and `removed` in full, `changed` by the old first line."""
    old = {row[0]: _named(ADDRESS_FIELDS, row[1:]) for row in before}
    new = {row[0]: _named(ADDRESS_FIELDS, row[1:]) for row in after}
    parts: Json = {
        "added": [_filled(new[key]) for key in new if key not in old],
        "removed": [old[key]["line1"] for key in old if key not in new],
        "changed": {
            old[key]["line1"]: _differing(old[key], new[key])
            for key in old
            if key in new and old[key] != new[key]
        },
    }
    return {name: part for name, part in parts.items() if part}


def _people(before: Rows, after: Rows) -> Json:
    """`profile` is what Robin has changed; `accounts` names added and removed ones."""
    old = {row[0]: _named(PERSON_FIELDS, row[1:]) for row in before}
    new = {row[0]: _named(PERSON_FIELDS, row[1:]) for row in after}
    profile = _differing(old.get(USERNAME, {}), new.get(USERNAME, {}))
    if "password" in profile:
        profile["password"] = "changed"  # noqa: S105 (its hash is nobody's business)
    return {"profile": profile, "accounts": sorted(old.keys() ^ new.keys())}


def _named(names: Sequence[str], values: Sequence[Any]) -> Json:
    return dict(zip(names, values, strict=True))


def _filled(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value}
