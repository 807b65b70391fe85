"""Office tasks that ask about one order, customer or cart rule."""

from __future__ import annotations

from random import Random

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import (
    BUYERS,
    SEARCH_BOX,
    customer_of,
    draw_customer,
    draw_order,
    go_to,
    go_to_order,
    order_of,
    orders_of,
    rule_of,
)
from rollouts.sites.backoffice.records import format_price
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Infeasible, Values, find


def _order_status(values: Values) -> Goal:
    order = order_of(values)
    return find(order.status, Search(SEARCH_BOX, str(order.number)))


def _order_customer(values: Values) -> Goal:
    order = order_of(values)
    return find(data.CUSTOMERS[order.customer].name, go_to_order(order))


def _order_total(values: Values) -> Goal:
    order = order_of(values)
    return find(format_price(order.total), go_to_order(order))


def _draw_buyer(rng: Random) -> Values:
    return {"customer": rng.choice(BUYERS).name}


def _last_order(values: Values) -> Goal:
    customer = customer_of(values)
    orders = orders_of(customer)
    if not orders:
        raise Infeasible("This customer has not ordered yet.")
    last = str(orders[-1].number)
    return find(last, go_to(customer), Click("History"))


def _draw_rule(rng: Random) -> Values:
    return {"rule": rng.choice(list(data.RULES.values())).name}


FIND_TEMPLATES = table(
    BACKOFFICE,
    "find",
    row(
        "backoffice.find_order_status",
        draw_order,
        _order_status,
        "What is the status of order {{order}}?",
        "How far is order {{order}}? Tell me its status.",
        "Look up the status of order {{order}}.",
    ),
    row(
        "backoffice.find_order_customer",
        draw_order,
        _order_customer,
        "Who placed order {{order}}?",
        "Which customer does order {{order}} belong to?",
        "Tell me the name of the customer behind order {{order}}.",
    ),
    row(
        "backoffice.find_order_total",
        draw_order,
        _order_total,
        "What is the total of order {{order}}?",
        "How much does the customer pay for order {{order}} in total?",
        "Tell me the total price of order {{order}}, shipping included.",
    ),
    row(
        "backoffice.find_order_payment",
        draw_order,
        tell_field("{0.payment}", order_of, go_to_order, Click("Payment")),
        "How was order {{order}} paid?",
        "What is order {{order}} paid by?",
        "Tell me the way of payment of order {{order}}, in one word.",
        is_held_out=True,
    ),
    row(
        "backoffice.find_customer_group",
        draw_customer,
        tell_field("{0.group}", customer_of, go_to),
        "Which customer group is {{customer}} in?",
        "What is the group of the customer {{customer}}?",
        "Tell me the group that {{customer}} belongs to.",
    ),
    row(
        "backoffice.find_customer_phone",
        draw_customer,
        tell_field("{0.phone}", customer_of, go_to),
        "What is the phone number of {{customer}}?",
        "Which number must I call to reach the customer {{customer}}?",
        "Find the phone number of the customer {{customer}}.",
        is_held_out=True,
    ),
    row(
        "backoffice.find_last_order",
        _draw_buyer,
        _last_order,
        "What is the number of the latest order of {{customer}}?",
        "Which order did {{customer}} place last? Only its number.",
        "Find the number of the newest order by the customer {{customer}}.",
    ),
    row(
        "backoffice.find_rule_end",
        _draw_rule,
        tell_field("{0.ends}", rule_of, go_to),
        'On which day does the cart rule "{{rule}}" end? Write it as YYYY-MM-DD.',
        'What is the last day of the cart rule "{{rule}}", as YYYY-MM-DD?',
        'Tell me the end date of the promotion "{{rule}}" as YYYY-MM-DD.',
    ),
)
