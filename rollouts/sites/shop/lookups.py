"""What the shop's task templates share: drawing entities and ways to reach them."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Search, Step
from rollouts.sites.kit.task_templates import Infeasible, Values, known, require
from rollouts.sites.kit.web import PAGE_SIZE
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Order, Product

SEARCH_BOX = "Search products"
SORT_BOX = "Sort by"
# Products that the start page shows have a shorter way than the plans take.
ON_START_PAGE = {products[0].slug for products in data.BY_CATEGORY.values()}
OTHERS = [p for p in data.PRODUCTS.values() if p.slug not in ON_START_PAGE]
IN_STOCK = [p for p in OTHERS if p.stock]
SOLD_OUT = [p for p in OTHERS if not p.stock]


def draw_product(rng: Random) -> Values:
    """Any product."""
    return {"product": rng.choice(OTHERS).name}


def draw_in_stock(rng: Random) -> Values:
    """A product that can be bought."""
    return {"product": rng.choice(IN_STOCK).name}


def draw_category(rng: Random) -> Values:
    """Any category."""
    return {"category": rng.choice(list(data.CATEGORIES))}


def draw_order(rng: Random) -> Values:
    """Any order."""
    return {"order": str(rng.choice(list(data.ORDERS)))}


def draw_missing_product(rng: Random) -> Values:
    """A name that no product has, though each of its words is known."""
    while True:
        materials, nouns = data.CATEGORIES[rng.choice(list(data.CATEGORIES))]
        words = (rng.choice(data.ADJECTIVES), rng.choice(materials), rng.choice(nouns))
        name = " ".join(words)
        if name not in data.PRODUCT_BY_NAME:
            return {"product": name}


def product_of(values: Values, key: str = "product") -> Product:
    """The product that a blank names."""
    return known(data.PRODUCT_BY_NAME, values[key], "product")


def buyable(values: Values, key: str = "product") -> Product:
    """The product that a blank names; it must be in stock."""
    product = product_of(values, key)
    require(product.stock > 0, f'"{product.name}" is sold out.')
    return product


def category_of(values: Values) -> str:
    """The slug of the category that a blank names."""
    names = {name: slug for slug, name in data.CATEGORY_BY_SLUG.items()}
    return known(names, values["category"], "category")


def order_of(values: Values) -> Order:
    """The order that a blank names."""
    number = values["order"]
    if not number.isdecimal() or int(number) not in data.ORDERS:
        raise Infeasible(f"Robin has no order {number}.")
    return data.ORDERS[int(number)]


def whole_number(values: Values, key: str, low: int, high: int) -> int:
    """The number in a blank, within limits."""
    text = values[key]
    require(
        text.isdecimal() and low <= int(text) <= high,
        f"{key} must be a number from {low} to {high}.",
    )
    return int(text)


def go_to(product: Product) -> list[Step]:
    """From any page to the product's."""
    return [Search(SEARCH_BOX, product.name), Click(product.name)]


def go_to_category(values: Values) -> list[Step]:
    """From any page to the category that a blank names."""
    return [Click("Categories"), Click(values["category"])]


def go_to_order_row(order: Order) -> list[Step]:
    """From any page to the page of the list that shows the order."""
    newest = data.FIRST_ORDER + data.ORDER_COUNT - 1
    turns = (newest - order.number) // PAGE_SIZE
    return [Click("Orders"), *[Click("Next page")] * turns]


def go_to_order(order: Order) -> list[Step]:
    """From any page to the order's."""
    return [*go_to_order_row(order), Click(f"Order {order.number}")]
