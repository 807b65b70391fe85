"""What the shop sells and what Robin has ordered: generated once, never changed."""

from __future__ import annotations

import dataclasses
import random

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

ADJECTIVES = words(
    "Red Blue Green Black White Yellow Grey Pink Brown Orange Small Large Round Tall "
    "Classic Modern Rustic Bright"
)
BRANDS = words(
    "Acorn Delta Ember Falcon Harbor Juniper Lotus Meadow Nova Orchid Raven Summit"
)
# Category -> (materials, nouns).
CATEGORIES: dict[str, tuple[list[str], list[str]]] = {
    "Kitchen": (words("Clay Glass Steel Copper"), words("Bowl Cup Plate Kettle")),
    "Lighting": (
        words("Brass Glass Paper Steel"),
        words("Lamp Lantern Candle Torch"),
    ),
    "Furniture": (words("Oak Pine Steel Leather"), words("Chair Table Shelf Stool")),
    "Bedroom": (words("Cotton Wool Linen Silk"), words("Pillow Blanket Curtain Rug")),
    "Office": (words("Oak Leather Bamboo Cork"), words("Clock Notebook Folder Tray")),
    "Garden": (words("Clay Stone Cedar Willow"), words("Pot Bench Basket Fountain")),
    "Bags": (
        words("Leather Canvas Cotton Wool"),
        words("Backpack Wallet Purse Suitcase"),
    ),
    "Toys": (words("Maple Paper Tin Bamboo"), words("Puzzle Robot Kite Drum")),
}
PRODUCTS_PER_CATEGORY = 48
REVIEW_TEXTS = (
    "Very good and strong",
    "Looks great at home",
    "Too small for me",
    "Better than the old one",
    "Not worth the price",
    "My family loves it",
    "It broke in a week",
    "Easy to clean",
)
DELIVERIES = {"Standard": 400, "Express": 1200}
STATUSES = ("Processing", "Shipped", "Delivered", "Returned", "Cancelled")
ORDER_COUNT = 24
FIRST_ORDER = 1001
WISHLIST_SIZE = 8
ADDRESS = {
    "name": "Robin Hill",
    "street": "12 Park Street",
    "city": "London",
    "zip": "4021",
    "phone": "555 0142",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Review:
    """What a customer thinks of a product; stars 1 to 5."""

    author: str
    stars: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Product:
    """Something for sale; price in cents, weight in kg, 0 <= stock."""

    slug: str
    name: str
    noun: str
    adjective: str
    category: str
    brand: str
    price: int
    stock: int
    weight: int
    country: str
    ships_in: int
    popularity: int
    age: int
    reviews: tuple[Review, ...]

    @property
    def rating(self) -> float:
        """Mean stars of the reviews it came with."""
        return sum(review.stars for review in self.reviews) / len(self.reviews)


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """An order as placed: product slugs with quantities, and where it goes."""

    number: int
    date: str
    status: str
    items: dict[str, int]
    delivery: str
    address: dict[str, str]


def format_price(cents: int) -> str:
    """2450 -> "$24.50"."""
    return f"${cents // 100}.{cents % 100:02d}"


def _reviews(rng: random.Random) -> tuple[Review, ...]:
    count = rng.randint(2, 4)
    authors = rng.sample(PEOPLE, count)
    stars = rng.sample(
        range(1, 6), count
    )  # distinct, so that "who gave 4" has one answer
    texts = rng.sample(REVIEW_TEXTS, count)
    return tuple(map(Review, authors, stars, texts))


def _category(rng: random.Random, category: str) -> list[Product]:
    materials, nouns = CATEGORIES[category]
    names = [(a, m, n) for a in ADJECTIVES for m in materials for n in nouns]
    prices = rng.sample(range(500, 10_000, 50), PRODUCTS_PER_CATEGORY)
    chosen = rng.sample(names, PRODUCTS_PER_CATEGORY)
    ranks = rng.sample(range(PRODUCTS_PER_CATEGORY), PRODUCTS_PER_CATEGORY)
    ages = rng.sample(range(PRODUCTS_PER_CATEGORY), PRODUCTS_PER_CATEGORY)
    products = []
    for index, (adjective, material, noun) in enumerate(chosen):
        name = f"{adjective} {material} {noun}"
        products.append(
            Product(
                slug=slugify(name),
                name=name,
                noun=noun,
                adjective=adjective,
                category=category,
                brand=rng.choice(BRANDS),
                price=prices[index],
                stock=0 if rng.random() < 0.12 else rng.randint(10, 40),
                weight=rng.randint(1, 9),
                country=rng.choice(COUNTRIES),
                ships_in=rng.randint(2, 9),
                popularity=ranks[index],
                age=ages[index],
                reviews=_reviews(rng),
            )
        )
    return sorted(products, key=lambda product: product.popularity)


def _status(rng: random.Random, index: int) -> str:
    """The newest orders are on their way, the older ones have arrived."""
    if index >= ORDER_COUNT - 8:
        return "Processing"
    if index >= ORDER_COUNT - 13:
        return "Shipped"
    return rng.choice(STATUSES[2:])


def _orders(rng: random.Random, in_stock: list[Product]) -> dict[int, Order]:
    orders = {}
    for index in range(ORDER_COUNT):
        items = rng.sample(in_stock, rng.randint(1, 3))
        address = dict(
            ADDRESS,
            city=rng.choice(CITIES),
            street=f"{rng.randint(2, 40)} {rng.choice(STREETS)} Street",
        )
        number = FIRST_ORDER + index
        orders[number] = Order(
            number=number,
            date=f"{index % 4 * 7 + 3} {MONTHS[index // 4]}",
            status=_status(rng, index),
            items={product.slug: rng.randint(1, 3) for product in items},
            delivery=rng.choice(sorted(DELIVERIES)),
            address=address,
        )
    return orders


def _build() -> tuple[dict[str, Product], dict[int, Order], list[str]]:
    rng = random.Random(DATA_SEED)
    products = {
        product.slug: product
        for category in CATEGORIES
        for product in _category(rng, category)
    }
    in_stock = [product for product in products.values() if product.stock]
    orders = _orders(rng, in_stock)
    wishlist = [product.slug for product in rng.sample(in_stock, WISHLIST_SIZE)]
    return products, orders, wishlist


PRODUCTS, ORDERS, WISHLIST = _build()
PRODUCT_BY_NAME = {product.name: product for product in PRODUCTS.values()}
CATEGORY_BY_SLUG = {slugify(category): category for category in CATEGORIES}
BY_CATEGORY = {
    category: [p for p in PRODUCTS.values() if p.category == category]
    for category in CATEGORIES
}
