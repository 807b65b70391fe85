"""What the office's task templates share: drawing records and ways to reach them."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from rollouts.sites.backoffice import data, reports
from rollouts.sites.backoffice.records import Customer, Order, Product, Review, Rule
from rollouts.sites.backoffice.rendering import PAGE_SIZE
from rollouts.sites.kit.plans import Click, Search, Step
from rollouts.sites.kit.task_templates import Infeasible, Values, known, require
from rollouts.sites.kit.vocabulary import MONTHS
from rollouts.sites.shop.data import ADJECTIVES, CATEGORIES

Record = TypeVar("Record")

SEARCH_BOX = "Search back office"
PRODUCT_BY_NAME = {product.name: product for product in data.PRODUCTS.values()}
CUSTOMER_BY_NAME = {customer.name: customer for customer in data.CUSTOMERS.values()}
RULE_BY_NAME = {rule.name: rule for rule in data.RULES.values()}
# Records on the first page of a list have a shorter way than that of the plans.
ON_FIRST_PAGE = {
    *sorted(PRODUCT_BY_NAME)[:PAGE_SIZE],
    *(p.name for p in reports.low_stock(data.PRODUCTS.values())[:PAGE_SIZE]),
    *sorted(CUSTOMER_BY_NAME)[:PAGE_SIZE],
}
PRODUCTS = [p for p in data.PRODUCTS.values() if p.name not in ON_FIRST_PAGE]
CUSTOMERS = [c for c in data.CUSTOMERS.values() if c.name not in ON_FIRST_PAGE]
ORDERS = list(data.ORDERS.values())[:-PAGE_SIZE]
# As the lists show them: a category's products by name, reviews newest first.
LISTS = {
    category: sorted(
        (p for p in data.PRODUCTS.values() if p.category == category),
        key=lambda product: product.name,
    )
    for category in CATEGORIES
}
PENDING = [r for r in reversed(data.REVIEWS.values()) if r.status == "Pending"]
_ORDERS_OF: dict[str, list[Order]] = {}
for _order in data.ORDERS.values():
    _ORDERS_OF.setdefault(_order.customer, []).append(_order)
_REVIEW_WITH = {(r.product, str(r.stars)): r for r in data.REVIEWS.values()}
BUYERS = [customer for customer in CUSTOMERS if customer.slug in _ORDERS_OF]


def draw_product(rng: Random) -> Values:
    """Any product."""
    return {"product": rng.choice(PRODUCTS).name}


def draw_customer(rng: Random) -> Values:
    """Any customer."""
    return {"customer": rng.choice(CUSTOMERS).name}


def draw_order(rng: Random, *statuses: str) -> Values:
    """An order, with one of these statuses if any are given."""
    return {"order": str(rng.choice(_orders_with(statuses)).number)}


@functools.cache
def _orders_with(statuses: tuple[str, ...]) -> list[Order]:
    return [order for order in ORDERS if not statuses or order.status in statuses]


def draw_category(rng: Random) -> Values:
    """Any category."""
    return {"category": rng.choice(list(CATEGORIES))}


def draw_month(rng: Random) -> Values:
    """Any month."""
    return {"month": rng.choice(MONTHS)}


def draw_missing_product(rng: Random) -> Values:
    """A name that no product has, though each of its words is known."""
    while True:
        materials, nouns = CATEGORIES[rng.choice(list(CATEGORIES))]
        words = (rng.choice(ADJECTIVES), rng.choice(materials), rng.choice(nouns))
        name = " ".join(words)
        if name not in PRODUCT_BY_NAME:
            return {"product": name}


def draw_days(rng: Random, first: int, last: int, longest: int) -> tuple[str, str]:
    """Two days, the earlier one so many days from today; as YYYY-MM-DD."""
    start = data.TODAY + datetime.timedelta(rng.randint(first, last))
    end = start + datetime.timedelta(rng.randint(1, longest))
    return start.isoformat(), end.isoformat()


def product_of(values: Values, key: str = "product") -> Product:
    """The product that a blank names."""
    return known(PRODUCT_BY_NAME, values[key], "product")


def customer_of(values: Values) -> Customer:
    """The customer that a blank names."""
    return known(CUSTOMER_BY_NAME, values["customer"], "customer")


def rule_of(values: Values) -> Rule:
    """The cart rule that a blank names."""
    return known(RULE_BY_NAME, values["rule"], "cart rule")


def order_of(values: Values, *statuses: str) -> Order:
    """The order that a blank names, with one of these statuses if any are given."""
    found = _numbered(data.ORDERS, values["order"], "order")
    wanted = " or ".join(statuses)
    is_right = not statuses or found.status in statuses
    require(is_right, f"Order {found.number} is {found.status}, not {wanted}.")
    return found


def review_of(values: Values, key: str = "review") -> Review:
    """The review that a blank names."""
    return _numbered(data.REVIEWS, values[key], "review")


def _numbered(items: dict[int, Record], text: str, what: str) -> Record:
    if not text.isdecimal() or int(text) not in items:
        raise Infeasible(f"The site has no {what} {text}.")
    return items[int(text)]


def one_of(options: Sequence[str], values: Values, key: str) -> str:
    """The option that a blank names."""
    return known({option: option for option in options}, values[key], key)


def go_to(record: Product | Customer | Rule) -> list[Step]:
    """From any page to that of a product, a customer or a rule."""
    return [Search(SEARCH_BOX, record.name), Click(record.name)]


def go_to_order(order: Order) -> list[Step]:
    """From any page to the order's."""
    return [Search(SEARCH_BOX, str(order.number)), Click(f"Order {order.number}")]


def go_to_review(review: Review) -> list[Step]:
    """From any page to the review's."""
    return [Search(SEARCH_BOX, str(review.number)), Click(f"Review {review.number}")]


def orders_of(customer: Customer) -> list[Order]:
    """The customer's orders, oldest first."""
    return _ORDERS_OF.get(customer.slug, [])


def review_with(product: Product, stars: str) -> Review | None:
    """The product's review with so many stars."""
    return _REVIEW_WITH.get((product.slug, stars))


@functools.cache
def bestsellers(month: str, category: str = "") -> tuple[reports.Bestseller, ...]:
    """What the report of bestsellers shows at the start."""
    orders = data.ORDERS.values()
    rows = reports.bestsellers(orders, data.PRODUCTS, month, category)
    return tuple(rows[: reports.MAX_REPORT_LENGTH])


def whole_number(values: Values, key: str, low: int, high: int) -> int:
    """The number in a blank, within limits."""
    text = values[key]
    require(
        text.isdecimal() and low <= int(text) <= high,
        f"{key} must be a number from {low} to {high}.",
    )
    return int(text)
