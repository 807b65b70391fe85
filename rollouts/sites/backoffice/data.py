"""What the back office starts with: generated once from a fixed seed, never changed."""

from __future__ import annotations

import datetime
import random

from rollouts.sites.backoffice.records import Customer, Line, Order, Product, Review
from rollouts.sites.backoffice.rules_data import build_rules
from rollouts.sites.kit.vocabulary import (
    CITIES,
    COUNTRIES,
    DATA_SEED,
    MONTHS,
    PEOPLE,
    STREETS,
    slugify,
    words,
)
from rollouts.sites.shop.data import ADJECTIVES, BRANDS, CATEGORIES, REVIEW_TEXTS

LAST_NAMES = words(
    "Baker Brook Carter Fisher Ford Gardner Hunter Lane Mason Miller Potter Smith "
    "Taylor Turner Walker Young"
)
GROUPS = words("General Wholesale Retailer Member")
STATUSES = words("Pending Processing Complete Cancelled")
REVIEW_STATUSES = words("Pending Approved Rejected")
PAYMENTS = words("Card Transfer Cash Voucher")
DELIVERIES = {"Standard": 400, "Express": 1200}
CARRIERS = ("Falcon Post", "Delta Cargo", "Summit Express")
REASONS = ("Out of stock", "Wrong address", "Customer request", "Double order")
COMMENTS = (
    "Call the customer",
    "Send it today",
    "Wait for the payment",
    "Pack it well",
    "Send it as a gift",
    "Leave it at the door",
    "Check the address",
    "Ring the bell twice",
)
PRODUCTS_PER_CATEGORY = 48
CUSTOMER_COUNT = 240
ORDER_COUNT = 1200
OLD_ORDERS = 780  # of which none is open any more
FIRST_ORDER = 5001
FIRST_REVIEW = 3001
REVIEWS_PER_PRODUCT = 3
FIRST_DAY = datetime.date(2024, 1, 1)
TODAY = datetime.date(2024, 6, 28)


def _category(rng: random.Random, category: str) -> list[Product]:
    materials, nouns = CATEGORIES[category]
    names = [f"{a} {m} {n}" for a in ADJECTIVES for m in materials for n in nouns]
    count = PRODUCTS_PER_CATEGORY
    prices = rng.sample(range(500, 10_000, 50), count)
    stocks = rng.sample(range(3, 250), count)
    numbers = rng.sample(range(101, 1000), count)
    found = []
    for index, name in enumerate(rng.sample(names, count)):
        found.append(
            Product(
                slug=slugify(name),
                name=name,
                sku=f"{category[:2].upper()}-{numbers[index]}",
                category=category,
                brand=rng.choice(BRANDS),
                country=rng.choice(COUNTRIES),
                shelf=f"{rng.choice('ABCD')}{rng.randint(1, 9)}",
                price=prices[index],
                stock=stocks[index],
                enabled=rng.random() > 0.2,
            )
        )
    return found


def _customers(rng: random.Random) -> list[Customer]:
    names = [f"{first} {last}" for first in PEOPLE for last in LAST_NAMES]
    return [
        Customer(
            slug=slugify(name),
            name=name,
            group=rng.choice(GROUPS),
            city=rng.choice(CITIES),
            street=f"{rng.randint(2, 40)} {rng.choice(STREETS)} Street",
            phone=f"555 {rng.randint(1000, 9999)}",
            since=rng.randint(2018, 2023),
        )
        for name in rng.sample(names, CUSTOMER_COUNT)
    ]


def _status(rng: random.Random, index: int) -> str:
    """Old orders are closed, of the new ones most are still open."""
    weights = (45, 40, 9, 6) if index >= OLD_ORDERS else (0, 0, 85, 15)
    return rng.choices(STATUSES, weights)[0]


def _orders(
    rng: random.Random, products: list[Product], customers: list[Customer]
) -> list[Order]:
    days = (TODAY - FIRST_DAY).days
    prices = {product.slug: product.price for product in products}
    # What people like changes from month to month, so that bestsellers differ.
    likes = [[rng.paretovariate(1.6) for _ in products] for _ in MONTHS]
    found = []
    for index in range(ORDER_COUNT):
        date = FIRST_DAY + datetime.timedelta(index * days // (ORDER_COUNT - 1))
        chosen = dict.fromkeys(
            product.slug
            for product in rng.choices(
                products, likes[date.month - 1], k=rng.randint(1, 3)
            )
        )
        delivery = rng.choice(list(DELIVERIES))
        found.append(
            Order(
                number=FIRST_ORDER + index,
                customer=rng.choice(customers).slug,
                date=date,
                status=_status(rng, index),
                lines=tuple(Line(s, rng.randint(1, 4), prices[s]) for s in chosen),
                delivery=delivery,
                shipping=DELIVERIES[delivery],
                payment=rng.choice(PAYMENTS),
            )
        )
    return found


def _reviews(
    rng: random.Random, products: list[Product], customers: list[Customer]
) -> list[Review]:
    """Distinct stars a product, so that "who gave 4 stars" has one answer."""
    pairs = [
        (product.slug, stars)
        for product in products
        for stars in rng.sample(range(1, 6), REVIEWS_PER_PRODUCT)
    ]
    rng.shuffle(pairs)
    return [
        Review(
            number=FIRST_REVIEW + index,
            product=product,
            author=rng.choice(customers).slug,
            stars=stars,
            text=rng.choice(REVIEW_TEXTS),
            status=rng.choices(REVIEW_STATUSES, (40, 45, 15))[0],
        )
        for index, (product, stars) in enumerate(pairs)
    ]


def _build() -> tuple[
    dict[str, Product], dict[str, Customer], dict[int, Order], dict[int, Review]
]:
    rng = random.Random(f"{DATA_SEED}/backoffice")
    products = [p for category in CATEGORIES for p in _category(rng, category)]
    rng.shuffle(products)
    customers = _customers(rng)
    orders = _orders(rng, products, customers)
    reviews = _reviews(rng, products, customers)
    return (
        {product.slug: product for product in products},
        {customer.slug: customer for customer in customers},
        {order.number: order for order in orders},
        {review.number: review for review in reviews},
    )


PRODUCTS, CUSTOMERS, ORDERS, REVIEWS = _build()
RULES = build_rules(TODAY, list(CATEGORIES), GROUPS)
