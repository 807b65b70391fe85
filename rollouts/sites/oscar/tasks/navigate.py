"""Tasks of the book shop that end on a certain page."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Select
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.task_templates import Goal, Template, Values, known, navigate
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.oscar import data
from rollouts.sites.oscar.lookups import (
    SORT_BOX,
    book_of,
    books_in,
    draw_book,
    draw_category,
    draw_order,
    go_to,
    go_to_order,
    order_of,
)

ORDERINGS = {
    "the best rated first": ("Customer rating", "rating"),
    "the newest first": ("Newest", "newest"),
    "the most expensive first": ("Price high to low", "price-desc"),
    "the cheapest first": ("Price low to high", "price-asc"),
    "by title from A to Z": ("Title A to Z", "title-asc"),
    "by title from Z to A": ("Title Z to A", "title-desc"),
}
ACCOUNT_PAGES = {
    "order history": ("Order History", "/accounts/orders/"),
    "address book": ("Address Book", "/accounts/addresses/"),
    "email history": ("Email History", "/accounts/emails/"),
    "product alerts": ("Product Alerts", "/accounts/alerts/"),
    "wish lists": ("Wish Lists", "/accounts/wishlists/"),
}


def _book(values: Values) -> Goal:
    book = book_of(values)
    return navigate(OSCAR.placeholder + book.path, go_to(book))


def _draw_sorted(rng: Random) -> Values:
    return {**draw_category(rng), "ordering": rng.choice(list(ORDERINGS))}


def _sorted(values: Values) -> Goal:
    books_in(values)
    category = values["category"]
    label, value = known(ORDERINGS, values["ordering"], "way to sort")
    number = data.CATEGORIES.index(category) + 1
    address = f"/catalogue/category/{slugify(category)}_{number}/?sort_by={value}"
    address = OSCAR.placeholder + address
    return navigate(address, Click(category), Select(SORT_BOX, label))


def _order(values: Values) -> Goal:
    order = order_of(values)
    address = f"{OSCAR.placeholder}/accounts/orders/{order.number}/"
    return navigate(address, go_to_order(order))


def _draw_account_page(rng: Random) -> Values:
    return {"page": rng.choice(list(ACCOUNT_PAGES))}


def _account_page(values: Values) -> Goal:
    label, path = known(ACCOUNT_PAGES, values["page"], "page")
    return navigate(OSCAR.placeholder + path, Click("Account"), Click(label))


NAVIGATE_TEMPLATES = (
    Template(
        "oscar.open_book",
        OSCAR,
        "navigate",
        (
            'Open the page of the book "{{book}}".',
            'Show me the book "{{book}}".',
            'Go to the page of "{{book}}".',
        ),
        draw_book,
        _book,
    ),
    Template(
        "oscar.open_sorted",
        OSCAR,
        "navigate",
        (
            "Show the books of the category {{category}}, {{ordering}}.",
            "Open the category {{category}}, sorted: {{ordering}}.",
            "List the {{category}} books, {{ordering}}.",
        ),
        _draw_sorted,
        _sorted,
    ),
    Template(
        "oscar.open_order",
        OSCAR,
        "navigate",
        (
            "Open my order {{order}}.",
            "Show me order {{order}}.",
            "Go to the page of order {{order}}.",
        ),
        draw_order,
        _order,
    ),
    Template(
        "oscar.open_account_page",
        OSCAR,
        "navigate",
        (
            "Open the {{page}} of my account.",
            "Show me my {{page}}.",
            "Go to my {{page}}.",
        ),
        _draw_account_page,
        _account_page,
        is_held_out=True,
    ),
)
