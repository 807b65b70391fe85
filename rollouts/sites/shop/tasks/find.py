"""Shop tasks that ask for information, and some that cannot be done."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.plans import Click, Search, Select
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.task_templates import (
    Goal,
    Template,
    Values,
    cannot,
    find,
    known,
    require,
)
from rollouts.sites.shop import data
from rollouts.sites.shop.lookups import (
    SEARCH_BOX,
    SOLD_OUT,
    SORT_BOX,
    category_of,
    draw_category,
    draw_missing_product,
    draw_order,
    draw_product,
    go_to,
    go_to_category,
    go_to_order,
    go_to_order_row,
    order_of,
    product_of,
)
from rollouts.sites.shop.pages.product import SORTS
from rollouts.sites.shop.state import order_total

EXTREMES = {"cheapest": "lowest", "most expensive": "highest", "newest": "newest"}


def _price(values: Values) -> Goal:
    product = product_of(values)
    return find(data.format_price(product.price), Search(SEARCH_BOX, product.name))


def _brand(values: Values) -> Goal:
    product = product_of(values)
    return find(product.brand, go_to(product))


def _weight(values: Values) -> Goal:
    product = product_of(values)
    return find(str(product.weight), go_to(product))


def _country(values: Values) -> Goal:
    product = product_of(values)
    return find(product.country, go_to(product))


def _delivery_days(values: Values) -> Goal:
    product = product_of(values)
    return find(str(product.ships_in), go_to(product), Click("Delivery"))


def _draw_stars(rng: Random) -> Values:
    values = draw_product(rng)
    review = rng.choice(product_of(values).reviews)
    return {**values, "stars": str(review.stars)}


def _reviewer(values: Values) -> Goal:
    product = product_of(values)
    authors = {str(review.stars): review.author for review in product.reviews}
    require(values["stars"] in authors, "Nobody gave it that many stars.")
    return find(authors[values["stars"]], go_to(product), Click("Reviews"))


def _draw_reviewer(rng: Random) -> Values:
    values = draw_product(rng)
    return {**values, "person": rng.choice(product_of(values).reviews).author}


def _stars(values: Values) -> Goal:
    product = product_of(values)
    stars = {review.author: str(review.stars) for review in product.reviews}
    require(values["person"] in stars, "This person has not reviewed it.")
    return find(stars[values["person"]], go_to(product), Click("Reviews"))


def _draw_extreme(rng: Random) -> Values:
    return {**draw_category(rng), "extreme": rng.choice(list(EXTREMES))}


def _extreme(values: Values) -> Goal:
    category_of(values)
    label, order = SORTS[known(EXTREMES, values["extreme"], "way to sort")]
    first = min(data.BY_CATEGORY[values["category"]], key=order)
    return find(first.name, go_to_category(values), Select(SORT_BOX, label))


def _order_status(values: Values) -> Goal:
    order = order_of(values)
    return find(order.status, go_to_order_row(order))


def _order_total(values: Values) -> Goal:
    order = order_of(values)
    return find(data.format_price(order_total(order)), go_to_order(order))


def _order_city(values: Values) -> Goal:
    order = order_of(values)
    return find(order.address["city"], go_to_order(order))


def _missing(values: Values) -> Goal:
    name = values["product"]
    require(name not in data.PRODUCT_BY_NAME, "The product exists.")
    return cannot(Search(SEARCH_BOX, name))


def _draw_sold_out(rng: Random) -> Values:
    return {"product": rng.choice(SOLD_OUT).name}


def _sold_out(values: Values) -> Goal:
    product = product_of(values)
    require(product.stock == 0, "The product can be bought.")
    return cannot(go_to(product))


def _draw_sent_order(rng: Random) -> Values:
    sent = [o.number for o in data.ORDERS.values() if o.status != "Processing"]
    return {"order": str(rng.choice(sent))}


def _cancel_sent(values: Values) -> Goal:
    order = order_of(values)
    require(order.status != "Processing", "The order can be cancelled.")
    return cannot(go_to_order(order))


FIND_TEMPLATES = (
    Template(
        "shop.find_price",
        SHOP,
        "find",
        (
            'What does the "{{product}}" cost?',
            'How much is the "{{product}}"?',
            'Tell me the price of the "{{product}}".',
            'Find out what I must pay for one "{{product}}".',
        ),
        draw_product,
        _price,
    ),
    Template(
        "shop.find_brand",
        SHOP,
        "find",
        (
            'Which brand makes the "{{product}}"?',
            'What is the brand of the "{{product}}"?',
            'Tell me who makes the "{{product}}".',
        ),
        draw_product,
        _brand,
    ),
    Template(
        "shop.find_weight",
        SHOP,
        "find",
        (
            'How many kg does the "{{product}}" weigh?',
            'What is the weight of the "{{product}}" in kg?',
            'Tell me the weight of the "{{product}}", only the number of kg.',
        ),
        draw_product,
        _weight,
    ),
    Template(
        "shop.find_country",
        SHOP,
        "find",
        (
            'In which country is the "{{product}}" made?',
            'Where is the "{{product}}" made?',
            'Tell me the country that the "{{product}}" comes from.',
        ),
        draw_product,
        _country,
        is_held_out=True,
    ),
    Template(
        "shop.find_delivery_days",
        SHOP,
        "find",
        (
            'In how many days does the "{{product}}" ship?',
            'Look at the delivery of the "{{product}}": how many days does it take?',
            'How many days until the "{{product}}" ships?',
        ),
        draw_product,
        _delivery_days,
    ),
    Template(
        "shop.find_reviewer",
        SHOP,
        "find",
        (
            'Who gave the "{{product}}" {{stars}} stars?',
            'Which person reviewed the "{{product}}" with {{stars}} stars?',
            'Find the name of the reviewer who gave {{stars}} stars to "{{product}}".',
        ),
        _draw_stars,
        _reviewer,
    ),
    Template(
        "shop.find_stars",
        SHOP,
        "find",
        (
            'How many stars did {{person}} give the "{{product}}"?',
            'Look at the reviews of "{{product}}": how many stars are from {{person}}?',
            'Tell me the number of stars {{person}} gave to "{{product}}".',
        ),
        _draw_reviewer,
        _stars,
        is_held_out=True,
    ),
    Template(
        "shop.find_extreme",
        SHOP,
        "find",
        (
            "Which product in {{category}} is the {{extreme}}?",
            "What is the {{extreme}} product of the {{category}} category?",
            "Tell me the name of the {{extreme}} thing in {{category}}.",
            "Find the {{extreme}} product in {{category}}.",
        ),
        _draw_extreme,
        _extreme,
    ),
    Template(
        "shop.find_order_status",
        SHOP,
        "find",
        (
            "What is the status of order {{order}}?",
            "Tell me how far order {{order}} is.",
            "Look up the status of my order {{order}}.",
        ),
        draw_order,
        _order_status,
    ),
    Template(
        "shop.find_order_total",
        SHOP,
        "find",
        (
            "What is the total of order {{order}}?",
            "How much did I pay for order {{order}} in total?",
            "Tell me the total price of my order {{order}}.",
        ),
        draw_order,
        _order_total,
    ),
    Template(
        "shop.find_order_city",
        SHOP,
        "find",
        (
            "To which city did order {{order}} go?",
            "Which city was order {{order}} sent to?",
            "Tell me the city in the address of order {{order}}.",
        ),
        draw_order,
        _order_city,
        is_held_out=True,
    ),
    Template(
        "shop.missing_product",
        SHOP,
        "impossible",
        (
            'What does the "{{product}}" cost?',
            'How much is the "{{product}}"?',
            'Tell me the price of the "{{product}}".',
        ),
        draw_missing_product,
        _missing,
    ),
    Template(
        "shop.sold_out_product",
        SHOP,
        "impossible",
        (
            'Add the "{{product}}" to my cart.',
            'Put one "{{product}}" into the cart.',
            'Buy the "{{product}}".',
        ),
        _draw_sold_out,
        _sold_out,
    ),
    Template(
        "shop.cancel_sent_order",
        SHOP,
        "impossible",
        (
            "Cancel order {{order}}.",
            "Please cancel my order {{order}}.",
            "I no longer want order {{order}}, cancel it.",
        ),
        _draw_sent_order,
        _cancel_sent,
        is_held_out=True,
    ),
)
