"""Shop tasks that ask for information, and some that cannot be done."""

from __future__ import annotations

from random import Random

from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search, Select
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
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


def _extreme(values: Values) -> Goal:
    category_of(values)
    label, order = SORTS[known(EXTREMES, values["extreme"], "way to sort")]
    first = min(data.BY_CATEGORY[values["category"]], key=order)
    return find(first.name, go_to_category(values), Select(SORT_BOX, label))


def _order_total(values: Values) -> Goal:
    order = order_of(values)
    return find(data.format_price(order_total(order)), go_to_order(order))


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


FIND_TEMPLATES = table(
    SHOP,
    "find",
    row(
        "shop.find_price",
        draw_product,
        _price,
        'What does the "{{product}}" cost?',
        'How much is the "{{product}}"?',
        'Tell me the price of the "{{product}}".',
        'Find out what I must pay for one "{{product}}".',
    ),
    row(
        "shop.find_brand",
        draw_product,
        tell_field("{0.brand}", product_of, go_to),
        'Which brand makes the "{{product}}"?',
        'What is the brand of the "{{product}}"?',
        'Tell me who makes the "{{product}}".',
    ),
    row(
        "shop.find_weight",
        draw_product,
        tell_field("{0.weight}", product_of, go_to),
        'How many kg does the "{{product}}" weigh?',
        'What is the weight of the "{{product}}" in kg?',
        'Tell me the weight of the "{{product}}", only the number of kg.',
    ),
    row(
        "shop.find_country",
        draw_product,
        tell_field("{0.country}", product_of, go_to),
        'In which country is the "{{product}}" made?',
        'Where is the "{{product}}" made?',
        'Tell me the country that the "{{product}}" comes from.',
        is_held_out=True,
    ),
    row(
        "shop.find_delivery_days",
        draw_product,
        tell_field("{0.ships_in}", product_of, go_to, Click("Delivery")),
        'In how many days does the "{{product}}" ship?',
        'Look at the delivery of the "{{product}}": how many days does it take?',
        'How many days until the "{{product}}" ships?',
    ),
    row(
        "shop.find_reviewer",
        _draw_stars,
        _reviewer,
        'Who gave the "{{product}}" {{stars}} stars?',
        'Which person reviewed the "{{product}}" with {{stars}} stars?',
        'Find the name of the reviewer who gave {{stars}} stars to "{{product}}".',
    ),
    row(
        "shop.find_stars",
        _draw_reviewer,
        _stars,
        'How many stars did {{person}} give the "{{product}}"?',
        'Look at the reviews of "{{product}}": how many stars are from {{person}}?',
        'Tell me the number of stars {{person}} gave to "{{product}}".',
        is_held_out=True,
    ),
    row(
        "shop.find_extreme",
        draw_one("extreme", EXTREMES, after=draw_category),
        _extreme,
        "Which product in {{category}} is the {{extreme}}?",
        "What is the {{extreme}} product of the {{category}} category?",
        "Tell me the name of the {{extreme}} thing in {{category}}.",
        "Find the {{extreme}} product in {{category}}.",
    ),
    row(
        "shop.find_order_status",
        draw_order,
        tell_field("{0.status}", order_of, go_to_order_row),
        "What is the status of order {{order}}?",
        "Tell me how far order {{order}} is.",
        "Look up the status of my order {{order}}.",
    ),
    row(
        "shop.find_order_total",
        draw_order,
        _order_total,
        "What is the total of order {{order}}?",
        "How much did I pay for order {{order}} in total?",
        "Tell me the total price of my order {{order}}.",
    ),
    row(
        "shop.find_order_city",
        draw_order,
        tell_field("{0.address[city]}", order_of, go_to_order),
        "To which city did order {{order}} go?",
        "Which city was order {{order}} sent to?",
        "Tell me the city in the address of order {{order}}.",
        is_held_out=True,
    ),
    row(
        "shop.missing_product",
        draw_missing_product,
        _missing,
        'What does the "{{product}}" cost?',
        'How much is the "{{product}}"?',
        'Tell me the price of the "{{product}}".',
        kind="impossible",
    ),
    row(
        "shop.sold_out_product",
        _draw_sold_out,
        _sold_out,
        'Add the "{{product}}" to my cart.',
        'Put one "{{product}}" into the cart.',
        'Buy the "{{product}}".',
        kind="impossible",
    ),
    row(
        "shop.cancel_sent_order",
        _draw_sent_order,
        _cancel_sent,
        "Cancel order {{order}}.",
        "Please cancel my order {{order}}.",
        "I no longer want order {{order}}, cancel it.",
        kind="impossible",
        is_held_out=True,
    ),
)
