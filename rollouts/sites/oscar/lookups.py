"""What the shop's task templates share: drawing entities and ways to reach them."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Search, Step
from rollouts.sites.kit.task_templates import Infeasible, Values, known
from rollouts.sites.oscar import data
from rollouts.sites.oscar.data import Book, Order

SEARCH_BOX = "Search"
SORT_BOX = "Sort by"
# These are on the first screen, where the shortest ways to their pages start.
CATEGORIES = data.CATEGORIES[:10]
# The start page shows the first books: a shorter way than by searching.
ON_START_PAGE = 4
DRAWN = [book for book in data.BOOKS.values() if book.number > ON_START_PAGE]
IN_STOCK = [book.title for book in DRAWN if book.stock]
SOLD_OUT = [book.title for book in DRAWN if not book.stock]


def draw_book(rng: Random) -> Values:
    """Any book."""
    return {"book": rng.choice(DRAWN).title}


def draw_in_stock(rng: Random) -> Values:
    """A book that can be bought."""
    return {"book": rng.choice(IN_STOCK)}


def draw_sold_out(rng: Random) -> Values:
    """A book that cannot be bought."""
    return {"book": rng.choice(SOLD_OUT)}


def draw_missing(rng: Random) -> Values:
    """A title that no book has, though both of its words are known."""
    return {"book": rng.choice(data.UNUSED_TITLES)}


def draw_order(rng: Random) -> Values:
    """Any of Robin's orders."""
    return {"order": str(rng.choice(list(data.ORDERS)))}


def draw_category(rng: Random) -> Values:
    """Any category."""
    return {"category": rng.choice(CATEGORIES)}


def book_of(values: Values) -> Book:
    """The book that a blank names."""
    return known(data.BOOKS, values["book"], "book")


def books_in(values: Values) -> list[Book]:
    """The books of the category that a blank names."""
    return known(data.BY_CATEGORY, values["category"], "category")


def order_of(values: Values) -> Order:
    """The order that a blank names."""
    number = values["order"]
    if not number.isdecimal() or int(number) not in data.ORDERS:
        raise Infeasible(f"Robin has no order {number}.")
    return data.ORDERS[int(number)]


def go_to(book: Book) -> list[Step]:
    """From any page to the book's."""
    return [Search(SEARCH_BOX, book.title), Click(book.title)]


def go_to_order(order: Order) -> list[Step]:
    """From any page to the order's."""
    orders = [Click("Account"), Click("Order History")]
    return [*orders, Search("Order number", str(order.number))]
