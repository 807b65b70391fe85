"""Shop tasks that change the address, an order or a review."""

from __future__ import annotations

from random import Random

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
from rollouts.sites.shop.lookups import (
    draw_product,
    go_to,
    go_to_order,
    order_of,
    product_of,
    whole_number,
)

OTHER_CITIES = [city for city in CITIES if city != data.ADDRESS["city"]]


def draw_street(rng: Random) -> str:
    """A street and number that is not Robin's."""
    return f"{rng.randint(13, 40)} {rng.choice(STREETS)} Street"


def _city(values: Values) -> str:
    return known({city: city for city in OTHER_CITIES}, values["city"], "other city")


def _draw_city(rng: Random) -> Values:
    return {"city": rng.choice(OTHER_CITIES)}


def _edit_address(values: Values, **fields: str) -> Goal:
    steps: list[Step] = [Click("Account"), Click("Edit address")]
    steps += [Type(name.capitalize(), text) for name, text in fields.items()]
    return change(SHOP, {"address": fields}, steps, Click("Save address"))


def _change_city(values: Values) -> Goal:
    return _edit_address(values, city=_city(values))


def _draw_address(rng: Random) -> Values:
    return {**_draw_city(rng), "street": draw_street(rng)}


def _change_address(values: Values) -> Goal:
    return _edit_address(values, street=values["street"], city=_city(values))


def _draw_phone(rng: Random) -> Values:
    return {"phone": f"555 {rng.randint(1000, 9999)}"}


def _change_phone(values: Values) -> Goal:
    return _edit_address(values, phone=values["phone"])


def _draw_open_order(rng: Random) -> Values:
    waiting = [o.number for o in data.ORDERS.values() if o.status == "Processing"]
    return {"order": str(rng.choice(waiting))}


def _cancel(values: Values) -> Goal:
    order = order_of(values)
    require(order.status == "Processing", "The order has been sent already.")
    steps = [*go_to_order(order), Click("Cancel order"), Click("Yes, cancel")]
    return change(SHOP, {"cancelled": [order.number]}, steps)


def _draw_order(rng: Random) -> Values:
    return {"order": str(rng.choice(list(data.ORDERS)))}


def _order_again(values: Values) -> Goal:
    order = order_of(values)
    steps = [*go_to_order(order), Click("Order again")]
    return change(SHOP, {"cart": order.items}, steps)


def _draw_review(rng: Random) -> Values:
    stars = rng.choice((1, 2, 4, 5))
    return {
        **draw_product(rng),
        "stars": str(stars),
        "text": rng.choice(data.REVIEW_TEXTS),
    }


def _review(values: Values) -> Goal:
    product, text = product_of(values), values["text"]
    stars = whole_number(values, "stars", 1, 5)
    review = {"product": product.slug, "stars": stars, "text": text}
    steps: list[Step] = [*go_to(product), Click("Reviews"), Click("Write review")]
    steps += [Select("Stars", f"{stars} stars"), Type("Text", text)]
    return change(SHOP, {"reviews": [review]}, steps, Click("Send review"))


ACCOUNT_TEMPLATES = table(
    SHOP,
    "change",
    row(
        "shop.change_city",
        _draw_city,
        _change_city,
        "Change the city of my address to {{city}}.",
        "I moved to {{city}}, change the city in my account.",
        "Edit my address: the city is {{city}} now.",
    ),
    row(
        "shop.change_address",
        _draw_address,
        _change_address,
        'Change my address to the street "{{street}}" in the city {{city}}.',
        'I moved to "{{street}}" in {{city}}, change my address.',
        'Edit my address: street "{{street}}", city {{city}}.',
    ),
    row(
        "shop.change_phone",
        _draw_phone,
        _change_phone,
        'Change the phone number in my account to "{{phone}}".',
        'My new phone is "{{phone}}", save it with my address.',
        'Edit my address: the phone is "{{phone}}" now.',
        is_held_out=True,
    ),
    row(
        "shop.cancel_order",
        _draw_open_order,
        _cancel,
        "Cancel order {{order}}.",
        "Please cancel my order {{order}}.",
        "I no longer want order {{order}}, cancel it.",
    ),
    row(
        "shop.order_again",
        _draw_order,
        _order_again,
        "Put everything from order {{order}} into my cart again.",
        "Fill my cart with order {{order}} again.",
        "I want order {{order}} again, put it into the cart.",
        is_held_out=True,
    ),
    row(
        "shop.write_review",
        _draw_review,
        _review,
        'Review the "{{product}}" with {{stars}} stars and the text "{{text}}".',
        'Write a review of "{{product}}": {{stars}} stars, "{{text}}".',
        'Give the "{{product}}" {{stars}} stars and write "{{text}}".',
    ),
)
