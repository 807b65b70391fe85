"""Office tasks that cannot be done, as the pages show."""

from __future__ import annotations

from random import Random

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.cart_rules import phase_of
from rollouts.sites.backoffice.lookups import (
    CUSTOMER_BY_NAME,
    PRODUCT_BY_NAME,
    SEARCH_BOX,
    draw_days,
    draw_missing_product,
    draw_order,
    draw_product,
    go_to,
    go_to_order,
    order_of,
    product_of,
    review_with,
    rule_of,
)
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, cannot, require
from rollouts.sites.kit.vocabulary import PEOPLE


def _missing_product(values: Values) -> Goal:
    name = values["product"]
    require(name not in PRODUCT_BY_NAME, "The product exists.")
    return cannot(Search(SEARCH_BOX, name))


def _draw_missing_order(rng: Random) -> Values:
    last = data.FIRST_ORDER + data.ORDER_COUNT - 1
    return {"order": str(rng.randint(last + 1, 9999))}


def _missing_order(values: Values) -> Goal:
    number = values["order"]
    exists = number.isdecimal() and int(number) in data.ORDERS
    require(not exists, "The order exists.")
    return cannot(Search(SEARCH_BOX, number))


def _draw_missing_customer(rng: Random) -> Values:
    while True:
        name = f"{rng.choice(PEOPLE)} {rng.choice(data.LAST_NAMES)}"
        if name not in CUSTOMER_BY_NAME:
            return {"customer": name}


def _missing_customer(values: Values) -> Goal:
    name = values["customer"]
    require(name not in CUSTOMER_BY_NAME, "The customer exists.")
    return cannot(Search(SEARCH_BOX, name))


def _draw_closed(rng: Random) -> Values:
    values = draw_order(rng, "Complete", "Processing")
    return {**values, "reason": rng.choice(data.REASONS)}


def _cancel_closed(values: Values) -> Goal:
    return cannot(go_to_order(order_of(values, "Complete", "Processing")))


def _draw_cancelled(rng: Random) -> Values:
    return draw_order(rng, "Cancelled")


def _invoice_cancelled(values: Values) -> Goal:
    return cannot(go_to_order(order_of(values, "Cancelled")))


def _draw_missing_stars(rng: Random) -> Values:
    values = draw_product(rng)
    product = product_of(values)
    free = [s for s in "12345" if review_with(product, s) is None]
    return {**values, "stars": rng.choice(free)}


def _missing_stars(values: Values) -> Goal:
    product = product_of(values)
    review = review_with(product, values["stars"])
    require(review is None, "Somebody gave it that many stars.")
    return cannot(go_to(product), Click("Opinions"))


def _draw_ended(rng: Random) -> Values:
    ended = [rule.name for rule in data.RULES.values() if phase_of(rule) == "Ended"]
    return {"rule": rng.choice(ended), "ends": draw_days(rng, 20, 90, 30)[1]}


def _extend_ended(values: Values) -> Goal:
    rule = rule_of(values)
    require(phase_of(rule) == "Ended", "The rule can still be changed.")
    return cannot(go_to(rule))


IMPOSSIBLE_TEMPLATES = table(
    BACKOFFICE,
    "impossible",
    row(
        "backoffice.missing_product",
        draw_missing_product,
        _missing_product,
        'What is the price of the "{{product}}"?',
        'How much do we ask for the "{{product}}"?',
        'Look up what the "{{product}}" costs.',
    ),
    row(
        "backoffice.missing_order",
        _draw_missing_order,
        _missing_order,
        "What is the status of order {{order}}?",
        "How far is order {{order}}? Tell me its status.",
        "Look up the status of order {{order}}.",
    ),
    row(
        "backoffice.missing_customer",
        _draw_missing_customer,
        _missing_customer,
        "Which customer group is {{customer}} in?",
        "What is the group of the customer {{customer}}?",
        "Tell me the group that {{customer}} belongs to.",
        is_held_out=True,
    ),
    row(
        "backoffice.cancel_closed_order",
        _draw_closed,
        _cancel_closed,
        'Cancel order {{order}} for the reason "{{reason}}".',
        'Please cancel order {{order}}; the reason is "{{reason}}".',
        'Order {{order}} must be cancelled, choose "{{reason}}" as the reason.',
    ),
    row(
        "backoffice.invoice_cancelled_order",
        _draw_cancelled,
        _invoice_cancelled,
        "Send the invoice of order {{order}}.",
        "Invoice order {{order}}.",
        "Order {{order}} waits for its invoice, make it.",
        is_held_out=True,
    ),
    row(
        "backoffice.missing_stars",
        _draw_missing_stars,
        _missing_stars,
        'Who gave the "{{product}}" {{stars}} of 5 stars?',
        'Which customer wrote the {{stars}} star review of the "{{product}}"?',
        'Find the name of the person whose review gives "{{product}}" '
        "{{stars}} of 5 stars.",
    ),
    row(
        "backoffice.extend_ended_rule",
        _draw_ended,
        _extend_ended,
        'Let the cart rule "{{rule}}" end on {{ends}}.',
        'Change the last day of the promotion "{{rule}}" to {{ends}}.',
        'Edit the cart rule "{{rule}}": it ends on {{ends}} now.',
    ),
)
