"""What the back office keeps: one dataclass a thing, and how things are written."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence

from rollouts.sites.kit.vocabulary import MONTHS


@dataclasses.dataclass(frozen=True, slots=True)
class Product:
    """Something the shop sells; price in cents, 0 <= stock."""

    slug: str
    name: str
    sku: str
    category: str
    brand: str
    country: str
    shelf: str
    price: int
    stock: int
    enabled: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Customer:
    """A person who has an account."""

    slug: str
    name: str
    group: str
    city: str
    street: str
    phone: str
    since: int


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A product in an order; price in cents a piece, as it was then."""

    product: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        """Cents."""
        return self.quantity * self.price


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """An order: Pending, then Processing, then Complete; or Cancelled."""

    number: int
    customer: str
    date: datetime.date
    status: str
    lines: tuple[Line, ...]
    delivery: str
    shipping: int
    payment: str
    reason: str = ""
    carrier: str = ""
    tracking: str = ""
    comments: Sequence[str] = ()

    @property
    def pieces(self) -> int:
        """How many things it holds."""
        return sum(line.quantity for line in self.lines)

    @property
    def total(self) -> int:
        """Cents, shipping included."""
        return sum(line.total for line in self.lines) + self.shipping

    @property
    def month(self) -> str:
        """The month's name."""
        return MONTHS[self.date.month - 1]


@dataclasses.dataclass(frozen=True, slots=True)
class Review:
    """What a customer thinks of a product; stars 1 to 5."""

    number: int
    product: str
    author: str
    stars: int
    text: str
    status: str


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A cart rule: so many percent off, for a group, from one day to another.

    The days are written YYYY-MM-DD, so that they sort as text.
    """

    slug: str
    name: str
    discount: int
    group: str
    starts: str
    ends: str


def format_price(cents: int) -> str:
    """2450 -> "$24.50"."""
    return f"${cents // 100}.{cents % 100:02d}"


def format_day(day: datetime.date) -> str:
    """The third of May -> "3 May"."""
    return f"{day.day} {MONTHS[day.month - 1]}"
