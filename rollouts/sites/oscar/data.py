"""The book shop's data at the start of every episode; the seed is fixed.

Two programs read it: the shop's own Python fills its database from it, and the
workbench computes the tasks' goals. It requires only the standard library.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from random import Random

from rollouts.sites.kit.vocabulary import DATA_SEED, PEOPLE, slugify, words

BOOKS_PER_CATEGORY = 25
ORDER_COUNT = 12
FIRST_ORDER = 100_001
FIRST_NAME, LAST_NAME, EMAIL = "Robin", "Reader", "robin@example.com"
# Only the episode's own browser uses it: each episode has a new database.
SESSION_KEY = "robinwassignedinbeforeitallbegan"

CATEGORIES = words(
    "Adventure Art Biography Cooking Crime Fantasy Gardening History Music Poetry "
    "Science Travel"
)
ADJECTIVES = words(
    "Amber Broken Crimson Distant Empty Frozen Golden Hidden Ivory Jagged Kindred "
    "Lonely Marble Northern Open Patient Quiet Rusted Silent Twisted Unseen Velvet "
    "Wandering Yellow Burning"
)
NOUNS = words(
    "Anchor Bridge Castle Desert Engine Falcon Garden Harbour Island Journey Kingdom "
    "Lantern Meadow Night Orchard Palace Quarry River Shadow Tower Umbrella Valley "
    "Window Yard Compass"
)
PUBLISHERS = ("Acorn Press", "Bluebell Books", "Cobalt House", "Driftwood", "Elm Row")
LANGUAGES = words("English French German Spanish")
SURNAMES = words(
    "Abbott Birch Carver Dale Ellis Frost Grant Hale Irwin Jones Kerr Lane"
)
VERDICTS: Mapping[int, tuple[str, str]] = {
    1: ("Not for me", "I gave up after a few pages."),
    2: ("Rather dull", "Long, and little happens in it."),
    3: ("It is fine", "Good in parts, slow in others."),
    4: ("Well worth it", "A good book with a weak ending."),
    5: ("Could not stop", "The best book that I have read this year."),
}
WISH_LISTS = {"Holiday reading": 3, "Gifts": 2}
STATUSES = ("Delivered", "Delivered", "Cancelled", "Sent", "Pending")


@dataclasses.dataclass(frozen=True, slots=True)
class Review:
    """What somebody wrote; `score` is 1 to 5."""

    author: str
    score: int
    title: str
    body: str


@dataclasses.dataclass(frozen=True, slots=True)
class Book:
    """A product; `price` in pence, `stock` 0 for sold out."""

    number: int
    title: str
    category: str
    price: int
    stock: int
    author: str
    publisher: str
    language: str
    pages: int
    year: int
    reviews: tuple[Review, ...]

    @property
    def path(self) -> str:
        """Its address in the shop."""
        return f"/catalogue/{slugify(self.title)}_{self.number}/"

    @property
    def upc(self) -> str:
        """The number on its back."""
        return f"978{4_000_000 + 7 * self.number:010d}"


@dataclasses.dataclass(frozen=True, slots=True)
class Address:
    """One of Robin's addresses; `line4` is the city in Oscar's form."""

    line1: str
    line4: str
    postcode: str


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """A past order of Robin's: titles and how many of each."""

    number: int
    date: datetime.date
    status: str
    lines: Mapping[str, int]
    address: Address

    @property
    def total(self) -> int:
        """Pence; sending is free."""
        return sum(BOOKS[title].price * count for title, count in self.lines.items())


ADDRESSES = (
    Address("12 Park Street", "London", "N1 7AA"),
    Address("3 Mill Lane", "Leeds", "LS1 4DY"),
    Address("48 Station Road", "Oxford", "OX1 2JD"),
)


def format_price(pence: int) -> str:
    """As the shop writes it: 1299 -> "£12.99"."""
    return f"£{pence // 100}.{pence % 100:02d}"


def _books(rng: Random) -> dict[str, Book]:
    pairs = [(adjective, noun) for adjective in ADJECTIVES for noun in NOUNS]
    titles = [" ".join(pair) for pair in rng.sample(pairs, len(pairs))]
    books = {}
    for number in range(1, len(CATEGORIES) * BOOKS_PER_CATEGORY + 1):
        category = CATEGORIES[(number - 1) // BOOKS_PER_CATEGORY]
        books[titles[number]] = _book(rng, number, titles[number], category)
    return books


def _book(rng: Random, number: int, title: str, category: str) -> Book:
    return Book(
        number=number,
        title=title,
        category=category,
        # No two books of a category cost the same.
        price=500 + 100 * rng.randrange(20) + (number - 1) % BOOKS_PER_CATEGORY * 3,
        stock=0 if rng.random() < 0.15 else rng.randint(20, 60),
        author=f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}",
        publisher=rng.choice(PUBLISHERS),
        language=rng.choice(LANGUAGES),
        pages=rng.randint(80, 900),
        year=rng.randint(1950, 2023),
        reviews=tuple(_reviews(rng)),
    )


def _reviews(rng: Random) -> list[Review]:
    people = rng.sample(PEOPLE, 3)
    scores = rng.sample(list(VERDICTS), rng.choice((0, 1, 2, 3)))
    return [
        Review(who, n, *VERDICTS[n]) for who, n in zip(people, scores, strict=False)
    ]


def _orders(rng: Random) -> dict[int, Order]:
    day = datetime.date(2024, 1, 8)
    orders = {}
    for number in range(FIRST_ORDER, FIRST_ORDER + ORDER_COUNT):
        day += datetime.timedelta(days=rng.randint(5, 12))
        titles = rng.sample(IN_STOCK, rng.randint(1, 3))
        orders[number] = Order(
            number=number,
            date=day,
            status=rng.choice(STATUSES),
            lines={title: rng.randint(1, 3) for title in titles},
            address=rng.choice(ADDRESSES),
        )
    return orders


def _wish_lists(rng: Random) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(rng.sample(IN_STOCK, count)) for name, count in WISH_LISTS.items()
    }


_RNG = Random(f"{DATA_SEED}/oscar")
BOOKS: dict[str, Book] = _books(_RNG)
BY_CATEGORY: dict[str, list[Book]] = {
    category: [book for book in BOOKS.values() if book.category == category]
    for category in CATEGORIES
}
IN_STOCK = [book.title for book in BOOKS.values() if book.stock]
SOLD_OUT = [book.title for book in BOOKS.values() if not book.stock]
ORDERS: dict[int, Order] = _orders(_RNG)
WISHES: dict[str, tuple[str, ...]] = _wish_lists(_RNG)
UNUSED_TITLES = [
    f"{adjective} {noun}"
    for adjective in ADJECTIVES
    for noun in NOUNS
    if f"{adjective} {noun}" not in BOOKS
]
