"""What the reports say: figures worked out from the orders that were not cancelled."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

from rollouts.sites.backoffice.records import Line, Order, Product
from rollouts.sites.kit.vocabulary import MONTHS

LOW_STOCK = 20
MAX_REPORT_LENGTH = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Sales:
    """Sums over some orders; revenue in cents, shipping included."""

    orders: int
    pieces: int
    revenue: int


@dataclasses.dataclass(frozen=True, slots=True)
class Bestseller:
    """How many pieces of a product were sold, and for how many cents."""

    product: Product
    pieces: int
    revenue: int


def add_up(orders: Iterable[Order]) -> Sales:
    """The sums over the orders that were not cancelled."""
    kept = [order for order in orders if order.status != "Cancelled"]
    pieces = sum(order.pieces for order in kept)
    return Sales(len(kept), pieces, sum(order.total for order in kept))


def sales_by_month(orders: Sequence[Order]) -> dict[str, Sales]:
    """The sums of each month."""
    return {
        month: add_up(order for order in orders if order.month == month)
        for month in MONTHS
    }


def sales_between(orders: Iterable[Order], first: str, last: str) -> Sales:
    """The sums from one day to another, both included; days as YYYY-MM-DD."""
    return add_up(o for o in orders if first <= o.date.isoformat() <= last)


def bestsellers(
    orders: Iterable[Order],
    products: dict[str, Product],
    month: str = "",
    category: str = "",
) -> list[Bestseller]:
    """The best-selling first; of equals the dearer one; "" means all."""
    pieces: Counter[str] = Counter()
    revenue: Counter[str] = Counter()
    for line in _sold_lines(orders, month):
        if category in ("", products[line.product].category):
            pieces[line.product] += line.quantity
            revenue[line.product] += line.total
    rows = [Bestseller(products[s], pieces[s], revenue[s]) for s in pieces]
    return sorted(rows, key=lambda r: (-r.pieces, -r.revenue, r.product.slug))


def _sold_lines(orders: Iterable[Order], month: str) -> Iterable[Line]:
    for order in orders:
        if order.status != "Cancelled" and month in ("", order.month):
            yield from order.lines


def low_stock(products: Iterable[Product]) -> list[Product]:
    """Products that are running out, the fewest pieces first."""
    rows = [product for product in products if product.stock < LOW_STOCK]
    return sorted(rows, key=lambda product: (product.stock, product.name))
