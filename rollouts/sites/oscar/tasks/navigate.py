"""Tasks of the book shop that end on a certain page."""

from __future__ import annotations

from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import open_item
from rollouts.sites.kit.plans import Click, Select
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, known, navigate
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


def _sorted(values: Values) -> Goal:
    books_in(values)
    category = values["category"]
    label, value = known(ORDERINGS, values["ordering"], "way to sort")
    number = data.CATEGORIES.index(category) + 1
    address = f"/catalogue/category/{slugify(category)}_{number}/?sort_by={value}"
    address = OSCAR.placeholder + address
    return navigate(address, Click(category), Select(SORT_BOX, label))


def _account_page(values: Values) -> Goal:
    label, path = known(ACCOUNT_PAGES, values["page"], "page")
    return navigate(OSCAR.placeholder + path, Click("Account"), Click(label))


NAVIGATE_TEMPLATES = table(
    OSCAR,
    "navigate",
    row(
        "oscar.open_book",
        draw_book,
        open_item(OSCAR, "{0.path}", book_of, go_to),
        'Open the page of the book "{{book}}".',
        'Show me the book "{{book}}".',
        'Go to the page of "{{book}}".',
    ),
    row(
        "oscar.open_sorted",
        draw_one("ordering", ORDERINGS, after=draw_category),
        _sorted,
        "Show the books of the category {{category}}, {{ordering}}.",
        "Open the category {{category}}, sorted: {{ordering}}.",
        "List the {{category}} books, {{ordering}}.",
    ),
    row(
        "oscar.open_order",
        draw_order,
        open_item(OSCAR, "/accounts/orders/{0.number}/", order_of, go_to_order),
        "Open my order {{order}}.",
        "Show me order {{order}}.",
        "Go to the page of order {{order}}.",
    ),
    row(
        "oscar.open_account_page",
        draw_one("page", ACCOUNT_PAGES),
        _account_page,
        "Open the {{page}} of my account.",
        "Show me my {{page}}.",
        "Go to my {{page}}.",
        is_held_out=True,
    ),
)
