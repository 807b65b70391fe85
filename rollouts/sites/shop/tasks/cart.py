"""Shop tasks that fill the cart or the wishlist, or buy."""

from __future__ import annotations

from random import Random
from typing import Any

from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    change,
    known,
    require,
)
from rollouts.sites.kit.vocabulary import CITIES, STREETS
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Product
from rollouts.sites.shop.lookups import (
    IN_STOCK,
    OTHERS,
    buyable,
    draw_in_stock,
    go_to,
    product_of,
    whole_number,
)

ADD: list[Step] = [Click("Add to cart")]
CHECKOUT: list[Step] = [Click("Checkout")]
CONFIRM: list[Step] = [Click("Place order"), Click("Confirm order")]
OTHER_CITIES = [city for city in CITIES if city != data.ADDRESS["city"]]


def draw_street(rng: Random) -> str:
    """A street and number that is not Robin's."""
    return f"{rng.randint(13, 40)} {rng.choice(STREETS)} Street"


def _with_quantity(rng: Random, values: Values) -> Values:
    return {**values, "quantity": str(rng.randint(2, 9))}


def _add(values: Values) -> Goal:
    product = buyable(values)
    return change(SHOP, {"cart": {product.slug: 1}}, go_to(product), ADD)


def _draw_quantity(rng: Random) -> Values:
    return _with_quantity(rng, draw_in_stock(rng))


def _add_many(values: Values) -> Goal:
    product = buyable(values)
    quantity = whole_number(values, "quantity", 2, 99)
    type_quantity = Type("Quantity", str(quantity))
    cart = {product.slug: quantity}
    return change(SHOP, {"cart": cart}, go_to(product), type_quantity, ADD)


def _draw_two(rng: Random) -> Values:
    first, second = rng.sample(IN_STOCK, 2)
    return {"first": first.name, "second": second.name}


def _add_two(values: Values) -> Goal:
    first, second = buyable(values, "first"), buyable(values, "second")
    require(first != second, "The two products are the same.")
    cart = {first.slug: 1, second.slug: 1}
    return change(SHOP, {"cart": cart}, go_to(first), ADD, go_to(second), ADD)


def _draw_unwished(rng: Random) -> Values:
    free = [product for product in OTHERS if product.slug not in data.WISHLIST]
    return {"product": rng.choice(free).name}


def _wish(values: Values) -> Goal:
    product = product_of(values)
    require(product.slug not in data.WISHLIST, "It is on the wishlist already.")
    state = {"wishlist": {product.slug: True}}
    return change(SHOP, state, go_to(product), Click("Add to wishlist"))


def _draw_wished(rng: Random) -> Values:
    return {"product": data.PRODUCTS[rng.choice(data.WISHLIST)].name}


def _wished(values: Values) -> Product:
    product = product_of(values)
    require(product.slug in data.WISHLIST, "It is not on the wishlist.")
    return product


def _unwish(values: Values) -> Goal:
    product = _wished(values)
    state = {"wishlist": {product.slug: False}}
    return change(SHOP, state, Click("Wishlist"), Click(f"Remove {product.name}"))


def _cart_wished(values: Values) -> Goal:
    product = _wished(values)
    steps = [Click("Wishlist"), Click(product.name)]
    return change(SHOP, {"cart": {product.slug: 1}}, steps, ADD)


def _order(items: dict[str, int], **changes: str) -> dict[str, Any]:
    delivery = changes.pop("delivery", "Standard")
    address = {**data.ADDRESS, **changes}
    return {"orders": [{"items": items, "delivery": delivery, "address": address}]}


def _buy(values: Values) -> Goal:
    product = buyable(values)
    state = _order({product.slug: 1})
    return change(SHOP, state, go_to(product), ADD, CHECKOUT, CONFIRM)


def _buy_express(values: Values) -> Goal:
    product = buyable(values)
    state = _order({product.slug: 1}, delivery="Express")
    choose = Select("Delivery", "Express")
    return change(SHOP, state, go_to(product), ADD, CHECKOUT, choose, CONFIRM)


def _draw_buy_to(rng: Random) -> Values:
    return {**draw_in_stock(rng), "city": rng.choice(OTHER_CITIES)}


def _city(values: Values) -> str:
    return known({city: city for city in OTHER_CITIES}, values["city"], "other city")


def _buy_to(values: Values) -> Goal:
    product, city = buyable(values), _city(values)
    state = _order({product.slug: 1}, city=city)
    steps = [*CHECKOUT, Type("City", city), *CONFIRM]
    return change(SHOP, state, go_to(product), ADD, steps)


def _draw_buy_many(rng: Random) -> Values:
    return {**_with_quantity(rng, _draw_buy_to(rng)), "street": draw_street(rng)}


def _buy_many(values: Values) -> Goal:
    product, city, street = buyable(values), _city(values), values["street"]
    quantity = whole_number(values, "quantity", 2, 99)
    state = _order({product.slug: quantity}, city=city, street=street)
    steps = [Type("Quantity", str(quantity)), *ADD, *CHECKOUT]
    steps += [Type("Street", street), Type("City", city), *CONFIRM]
    return change(SHOP, state, go_to(product), steps)


def _draw_buy_all(rng: Random) -> Values:
    return _with_quantity(rng, _draw_buy_to(rng))


def _buy_all(values: Values) -> Goal:
    product, city = buyable(values), _city(values)
    quantity = whole_number(values, "quantity", 2, 99)
    state = _order({product.slug: quantity}, city=city, delivery="Express")
    steps = [Type("Quantity", str(quantity)), *ADD, *CHECKOUT]
    steps += [Type("City", city), Select("Delivery", "Express"), *CONFIRM]
    return change(SHOP, state, go_to(product), steps)


CART_TEMPLATES = table(
    SHOP,
    "change",
    row(
        "shop.add_to_cart",
        draw_in_stock,
        _add,
        'Add the "{{product}}" to my cart.',
        'Put one "{{product}}" into the cart.',
        'I want the "{{product}}" in my cart.',
    ),
    row(
        "shop.add_quantity",
        _draw_quantity,
        _add_many,
        'Add {{quantity}} pieces of the "{{product}}" to my cart.',
        'Put {{quantity}} of the "{{product}}" into the cart.',
        'I want the "{{product}}" in my cart, quantity {{quantity}}.',
    ),
    row(
        "shop.add_two_products",
        _draw_two,
        _add_two,
        'Add the "{{first}}" and the "{{second}}" to my cart.',
        'Put one "{{first}}" and one "{{second}}" into the cart.',
        'I want the "{{first}}" and then the "{{second}}" in my cart.',
    ),
    row(
        "shop.add_wish",
        _draw_unwished,
        _wish,
        'Add the "{{product}}" to my wishlist.',
        'Put the "{{product}}" on the wishlist.',
        'I wish for the "{{product}}", put it on my wishlist.',
    ),
    row(
        "shop.remove_wish",
        _draw_wished,
        _unwish,
        'Remove the "{{product}}" from my wishlist.',
        'Take the "{{product}}" off the wishlist.',
        'I no longer wish for the "{{product}}", remove it from my wishlist.',
    ),
    row(
        "shop.cart_from_wishlist",
        _draw_wished,
        _cart_wished,
        'Open my wishlist and add the "{{product}}" to my cart.',
        'Put the "{{product}}" from my wishlist into the cart.',
        'From my wishlist, add the "{{product}}" to the cart.',
    ),
    row(
        "shop.buy",
        draw_in_stock,
        _buy,
        'Buy the "{{product}}".',
        'Order one "{{product}}" to my address.',
        'Buy one "{{product}}" and confirm the order.',
    ),
    row(
        "shop.buy_express",
        draw_in_stock,
        _buy_express,
        'Buy the "{{product}}" with Express delivery.',
        'Order one "{{product}}" by Express.',
        'Buy one "{{product}}", choose Express delivery and confirm.',
    ),
    row(
        "shop.buy_to_city",
        _draw_buy_to,
        _buy_to,
        'Buy the "{{product}}" and send it to the city {{city}}.',
        'Order one "{{product}}" with {{city}} as the city of the address.',
        'Buy one "{{product}}", change the city to {{city}} and confirm.',
    ),
    row(
        "shop.buy_quantity_to_street",
        _draw_buy_many,
        _buy_many,
        'Buy {{quantity}} of the "{{product}}" and send them to "{{street}}" in '
        "{{city}}.",
        'Order {{quantity}} pieces of "{{product}}" to the street "{{street}}" '
        "and the city {{city}}.",
        'Buy the "{{product}}", quantity {{quantity}}, street "{{street}}", '
        "city {{city}}.",
    ),
    row(
        "shop.buy_quantity_express",
        _draw_buy_all,
        _buy_all,
        'Buy {{quantity}} of the "{{product}}" with Express delivery to the city '
        "{{city}}.",
        'Order {{quantity}} pieces of "{{product}}" to {{city}} by Express.',
        'Buy the "{{product}}", quantity {{quantity}}, city {{city}}, delivery '
        "Express.",
        is_held_out=True,
    ),
)
