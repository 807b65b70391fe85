"""Tasks of the book shop that leave something changed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Scroll, Search, Step
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    change,
    known,
    require,
)
from rollouts.sites.kit.vocabulary import words
from rollouts.sites.oscar import data
from rollouts.sites.oscar.lookups import (
    DRAWN,
    IN_STOCK,
    SOLD_OUT,
    book_of,
    draw_in_stock,
    draw_order,
    draw_sold_out,
    go_to,
    go_to_order,
    order_of,
)

LIST_NAMES = ("Rainy days", "For Nina", "Summer", "Book club", "Birthday", "Next year")
OTHER_NAMES = tuple(name for name in data.SURNAMES if name != data.LAST_NAME)
REVIEWED_ONCE = {b.title: b.reviews[0] for b in DRAWN if len(b.reviews) == 1}
HELPFUL = {"helpful": "Yes", "not helpful": "No"}
COUNTS = words("2 3 4 5 6")


def _buyable(values: Values) -> data.Book:
    book = book_of(values)
    require(book.stock > 0, f'"{book.title}" is sold out.')
    return book


def _add(values: Values) -> Goal:
    book = _buyable(values)
    steps = [*go_to(book), Click("Add to basket")]
    return change(OSCAR, {"basket": {book.title: 1}}, steps)


def _draw_two(rng: Random) -> Values:
    first, second = rng.sample(IN_STOCK, 2)
    return {"book": first, "other": second}


def _add_two(values: Values) -> Goal:
    books = [_buyable(values), _buyable({"book": values["other"]})]
    require(books[0] != books[1], "Both are the same book.")
    steps: list[Step] = []
    for book in books:
        steps += [*go_to(book), Click("Add to basket")]
    return change(OSCAR, {"basket": {book.title: 1 for book in books}}, steps)


def _add_several(values: Values) -> Goal:
    book, count = _buyable(values), values["count"]
    known({text: text for text in COUNTS}, count, "number")
    steps: list[Step] = [*go_to(book), Click("Add to basket"), Click("View basket")]
    # The field for the quantity has no name other than its content.
    steps.append(Search("1", count))
    return change(OSCAR, {"basket": {book.title: int(count)}}, steps)


def _buy(values: Values) -> Goal:
    book = _buyable(values)
    home = data.ADDRESSES[0]
    address = ", ".join((home.line1, home.line4, home.postcode))
    steps: list[Step] = [*go_to(book), Click("Add to basket"), Click("View basket")]
    steps += [Scroll(), Click("Proceed to checkout")]
    steps += [Click("Ship to your default shipping address"), Click("Continue")]
    steps += [Scroll(), Scroll(), Click("Place order")]
    state = {"orders": [{"books": {book.title: 1}, "address": address}]}
    return change(OSCAR, state, steps)


def _again(values: Values) -> Goal:
    order = order_of(values)
    steps: list[Step] = [Scroll(), Click("Re-order all items")]
    if len(order.lines) == 1:
        steps = [Click("Re-order")]
    return change(OSCAR, {"basket": dict(order.lines)}, go_to_order(order), steps)


def _draw_wish(rng: Random) -> Values:
    name = rng.choice(list(data.WISHES))
    others = [title for title in IN_STOCK if title not in data.WISHES[name]]
    return {"book": rng.choice(others), "list": name}


def _wish(values: Values) -> Goal:
    book, name = book_of(values), values["list"]
    kept = known(data.WISHES, name, "wish list")
    require(book.title not in kept, "The book is on the list already.")
    steps = [*go_to(book), Click("Add to wish list")]
    state: Mapping[str, object] = {
        "wish_lists": {name: sorted([*kept, book.title])},
    }
    return change(OSCAR, state, steps, Click(f"Add to '{name}' wish list"))


def _new_list(values: Values) -> Goal:
    name = values["name"]
    require(name not in data.WISHES, "There is such a list already.")
    steps: list[Step] = [Click("Account"), Click("Wish Lists")]
    steps += [Click("Create a new wish list"), Search("Name", name)]
    return change(OSCAR, {"wish_lists": {name: []}}, steps)


def _alert(values: Values) -> Goal:
    book = book_of(values)
    require(book.title in SOLD_OUT, "The book can be bought.")
    return change(OSCAR, {"alerts": [book.title]}, go_to(book), Click("Notify me"))


def _rename(values: Values) -> Goal:
    name = values["name"]
    require(name != data.LAST_NAME, "That is the name already.")
    steps: list[Step] = [Click("Account"), Click("Edit profile")]
    field = Search("Last name", name)
    return change(OSCAR, {"profile": {"last_name": name}}, steps, field)


def _draw_vote(rng: Random) -> Values:
    return {"book": rng.choice(list(REVIEWED_ONCE)), "vote": rng.choice(list(HELPFUL))}


def _vote(values: Values) -> Goal:
    book = book_of(values)
    review = known(REVIEWED_ONCE, book.title, "book with one review")
    button = known(HELPFUL, values["vote"], "vote")
    cast = {"book": book.title, "review": review.title, "helpful": button == "Yes"}
    steps = [*go_to(book), Click("1 customer review"), Scroll(), Click(button)]
    return change(OSCAR, {"votes": [cast]}, steps)


CHANGE_TEMPLATES = table(
    OSCAR,
    "change",
    row(
        "oscar.add_to_basket",
        draw_in_stock,
        _add,
        'Put the book "{{book}}" into my basket.',
        'Add "{{book}}" to the basket.',
        'I want "{{book}}", put it into my basket.',
    ),
    row(
        "oscar.add_two",
        _draw_two,
        _add_two,
        'Put the books "{{book}}" and "{{other}}" into my basket.',
        'Add "{{book}}" and "{{other}}" to the basket.',
        'I want "{{book}}" and "{{other}}", put both into my basket.',
        is_held_out=True,
    ),
    row(
        "oscar.add_several",
        draw_one("count", COUNTS, after=draw_in_stock),
        _add_several,
        'Put {{count}} copies of "{{book}}" into my basket.',
        'Add {{count}} copies of the book "{{book}}" to the basket.',
        'I need {{count}} copies of "{{book}}" in my basket.',
    ),
    row(
        "oscar.buy",
        draw_in_stock,
        _buy,
        'Buy the book "{{book}}" and have it sent to my default address.',
        'Order one copy of "{{book}}", sent to my default address.',
        'Please buy "{{book}}" for me; it goes to my default address.',
    ),
    row(
        "oscar.order_again",
        draw_order,
        _again,
        "Put what was in order {{order}} into my basket again.",
        "Fill my basket with order {{order}} again.",
        "I want order {{order}} again, put it into the basket.",
    ),
    row(
        "oscar.add_to_wish_list",
        _draw_wish,
        _wish,
        'Put the book "{{book}}" on my wish list "{{list}}".',
        'Add "{{book}}" to the wish list "{{list}}".',
        'Note "{{book}}" on my wish list "{{list}}".',
    ),
    row(
        "oscar.new_wish_list",
        draw_one("name", LIST_NAMES),
        _new_list,
        'Create a new wish list called "{{name}}".',
        'Make me a wish list with the name "{{name}}".',
        'Start a wish list named "{{name}}".',
    ),
    row(
        "oscar.stock_alert",
        draw_sold_out,
        _alert,
        'Let the shop tell me when "{{book}}" is back in stock.',
        'Ask for an alert when the book "{{book}}" can be bought again.',
        'I want to be notified when "{{book}}" is available again.',
    ),
    row(
        "oscar.change_name",
        draw_one("name", OTHER_NAMES),
        _rename,
        "Change the last name in my profile to {{name}}.",
        "My last name is {{name}} now, save it in my profile.",
        "Edit my profile: the last name is {{name}}.",
    ),
    row(
        "oscar.vote",
        _draw_vote,
        _vote,
        'Mark the review of the book "{{book}}" as {{vote}}.',
        'Say that the review of "{{book}}" is {{vote}}.',
        'Vote on the review of "{{book}}": it is {{vote}}.',
        is_held_out=True,
    ),
)
