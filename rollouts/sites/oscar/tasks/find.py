"""Tasks of the book shop that ask for information, and some that cannot be done."""

from __future__ import annotations

from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Scroll, Search, Select
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    cannot,
    find,
    known,
    require,
)
from rollouts.sites.oscar import data
from rollouts.sites.oscar.lookups import (
    SEARCH_BOX,
    SORT_BOX,
    book_of,
    books_in,
    draw_book,
    draw_category,
    draw_in_stock,
    draw_missing,
    draw_order,
    draw_sold_out,
    go_to,
    go_to_order,
    order_of,
)

DETAILS = ("author", "publisher", "language")
EXTREMES = {"cheapest": "Price low to high", "most expensive": "Price high to low"}


def _price(values: Values) -> Goal:
    book = book_of(values)
    return find(data.format_price(book.price), go_to(book))


def _stock(values: Values) -> Goal:
    book = book_of(values)
    require(book.stock > 0, f'"{book.title}" is sold out.')
    return find(str(book.stock), go_to(book))


def _detail(values: Values) -> Goal:
    book = book_of(values)
    name = known({name: name for name in DETAILS}, values["detail"], "detail")
    return find(str(getattr(book, name)), go_to(book), Scroll(), Scroll())


def _pages(values: Values) -> Goal:
    book = book_of(values)
    return find(str(book.pages), go_to(book), Scroll(), Scroll())


def _extreme(values: Values) -> Goal:
    order = known(EXTREMES, values["extreme"], "way to sort")
    sign = 1 if values["extreme"] == "cheapest" else -1
    first = min(books_in(values), key=lambda book: sign * book.price)
    return find(first.title, Click(values["category"]), Select(SORT_BOX, order))


def _order_total(values: Values) -> Goal:
    order = order_of(values)
    newest = data.FIRST_ORDER + data.ORDER_COUNT - 1
    # The list shows the totals; one screen further down are the first eight.
    scrolls = [Scroll()] * (1 if newest - order.number < 8 else 2)
    list_ = [Click("Account"), Click("Order History")]
    return find(data.format_price(order.total), list_, scrolls)


def _missing(values: Values) -> Goal:
    title = values["book"]
    require(title not in data.BOOKS, "The shop has this book.")
    return cannot(Search(SEARCH_BOX, title))


def _sold_out(values: Values) -> Goal:
    book = book_of(values)
    require(book.stock == 0, "The book can be bought.")
    return cannot(go_to(book))


FIND_TEMPLATES = table(
    OSCAR,
    "find",
    row(
        "oscar.find_price",
        draw_book,
        _price,
        'What does the book "{{book}}" cost?',
        'Tell me the price of "{{book}}".',
        'How much is "{{book}}"?',
    ),
    row(
        "oscar.find_stock",
        draw_in_stock,
        _stock,
        'How many copies of "{{book}}" are in stock? Answer with the number.',
        'Tell me the number of copies of "{{book}}" that are available.',
        'What number of copies of "{{book}}" is there?',
    ),
    row(
        "oscar.find_detail",
        draw_one("detail", DETAILS, after=draw_book),
        _detail,
        'What is the {{detail}} of the book "{{book}}"?',
        'Look up the {{detail}} of "{{book}}".',
        'Tell me the {{detail}} of "{{book}}".',
    ),
    row(
        "oscar.find_pages",
        draw_book,
        _pages,
        'How many pages does "{{book}}" have? Answer with the number.',
        'Tell me the number of pages of "{{book}}".',
        'What number of pages has the book "{{book}}"?',
        is_held_out=True,
    ),
    row(
        "oscar.find_extreme",
        draw_one("extreme", EXTREMES, after=draw_category),
        _extreme,
        "Which is the {{extreme}} book in the category {{category}}?",
        "Find the {{extreme}} {{category}} book and tell me its title.",
        "What is the title of the {{extreme}} book in {{category}}?",
    ),
    row(
        "oscar.order_status",
        draw_order,
        tell_field("{0.status}", order_of, go_to_order),
        "What is the status of my order {{order}}?",
        "Look up the status of order {{order}}.",
        "Tell me which status order {{order}} has.",
    ),
    row(
        "oscar.order_total",
        draw_order,
        _order_total,
        "What did I pay for order {{order}} in total?",
        "Tell me the total of my order {{order}}.",
        "How much was order {{order}} altogether?",
    ),
    row(
        "oscar.missing_book",
        draw_missing,
        _missing,
        'What does the book "{{book}}" cost in this shop?',
        'Tell me the price of the book "{{book}}" here.',
        'How much is the book "{{book}}" in this shop?',
        kind="impossible",
    ),
    row(
        "oscar.buy_sold_out",
        draw_sold_out,
        _sold_out,
        'Put one copy of "{{book}}" into my basket now.',
        'I want one copy of "{{book}}" in my basket.',
        'Add a copy of "{{book}}" to my basket, please.',
        kind="impossible",
    ),
)
