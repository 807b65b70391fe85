"""Office tasks that process orders and move customers into groups."""

from __future__ import annotations

from random import Random
from typing import Any

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import (
    customer_of,
    draw_customer,
    draw_order,
    go_to,
    go_to_order,
    one_of,
    order_of,
)
from rollouts.sites.backoffice.records import Customer, Order
from rollouts.sites.backoffice.state import TRACKING
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, change, require

INVOICE = Click("Invoice")


def _order_goal(order: Order, fields: dict[str, Any], *steps: Step) -> Goal:
    state = {"orders": {str(order.number): fields}}
    return change(BACKOFFICE, state, go_to_order(order), *steps)


def _draw_pending(rng: Random) -> Values:
    return draw_order(rng, "Pending")


def _invoice(values: Values) -> Goal:
    order = order_of(values, "Pending")
    return _order_goal(order, {"status": "Processing"}, INVOICE)


def _draw_shipment(rng: Random) -> Values:
    letter, number = rng.choice("ABCDEFGH"), rng.randint(100, 999)
    return {"carrier": rng.choice(data.CARRIERS), "tracking": f"{letter}{number}"}


def _draw_ship(rng: Random) -> Values:
    return {**draw_order(rng, "Processing"), **_draw_shipment(rng)}


def _shipment(values: Values) -> tuple[dict[str, Any], list[Step]]:
    carrier = one_of(data.CARRIERS, values, "carrier")
    tracking = values["tracking"]
    require(TRACKING.fullmatch(tracking) is not None, "This is no tracking number.")
    fields = {"status": "Complete", "carrier": carrier, "tracking": tracking}
    choose = Select("Carrier", carrier)
    write = Type("Tracking number", tracking)
    return fields, [Click("Ship order"), choose, write, Click("Send shipment")]


def _ship(values: Values) -> Goal:
    fields, steps = _shipment(values)
    return _order_goal(order_of(values, "Processing"), fields, *steps)


def _draw_invoice_and_ship(rng: Random) -> Values:
    return {**_draw_pending(rng), **_draw_shipment(rng)}


def _invoice_and_ship(values: Values) -> Goal:
    fields, steps = _shipment(values)
    return _order_goal(order_of(values, "Pending"), fields, INVOICE, *steps)


def _draw_cancel(rng: Random) -> Values:
    return {**_draw_pending(rng), "reason": rng.choice(data.REASONS)}


def _cancel(values: Values) -> Goal:
    order = order_of(values, "Pending")
    reason = one_of(data.REASONS, values, "reason")
    steps: list[Step] = [
        Click("Cancel order"),
        Select("Reason", reason),
        Click("Yes, cancel"),
    ]
    return _order_goal(order, {"status": "Cancelled", "reason": reason}, *steps)


def _comment(values: Values) -> Goal:
    order, text = order_of(values), values["comment"]
    steps: list[Step] = [Click("Comments"), Type("Comment", text), Click("Add comment")]
    return _order_goal(order, {"comments": [text]}, *steps)


def _regroup(customer: Customer, values: Values, *way: Step) -> Goal:
    group = one_of(data.GROUPS, values, "group")
    require(group != customer.group, f"{customer.name} is in this group already.")
    state = {"customers": {customer.slug: {"group": group}}}
    steps: list[Step] = [Select("Group", group), Click("Save group")]
    return change(BACKOFFICE, state, *way, *steps)


def _draw_regroup(rng: Random) -> Values:
    values = draw_customer(rng)
    return {**values, "group": _other_group(rng, customer_of(values))}


def _other_group(rng: Random, customer: Customer) -> str:
    return rng.choice([group for group in data.GROUPS if group != customer.group])


def _set_group(values: Values) -> Goal:
    customer = customer_of(values)
    return _regroup(customer, values, *go_to(customer))


def _draw_regroup_buyer(rng: Random) -> Values:
    values = draw_order(rng)
    buyer = data.CUSTOMERS[order_of(values).customer]
    return {**values, "group": _other_group(rng, buyer)}


def _set_buyers_group(values: Values) -> Goal:
    order = order_of(values)
    buyer = data.CUSTOMERS[order.customer]
    return _regroup(buyer, values, *go_to_order(order), Click(buyer.name))


ORDER_TEMPLATES = table(
    BACKOFFICE,
    "change",
    row(
        "backoffice.invoice_order",
        _draw_pending,
        _invoice,
        "Send the invoice of order {{order}}.",
        "Invoice order {{order}}.",
        "Order {{order}} waits for its invoice, make it.",
    ),
    row(
        "backoffice.ship_order",
        _draw_ship,
        _ship,
        "Ship order {{order}} with {{carrier}}, tracking number {{tracking}}.",
        "Send order {{order}} on its way: carrier {{carrier}}, tracking number "
        "{{tracking}}.",
        "{{carrier}} takes order {{order}} under the tracking number {{tracking}}, "
        "enter the shipment.",
    ),
    row(
        "backoffice.invoice_and_ship",
        _draw_invoice_and_ship,
        _invoice_and_ship,
        "Invoice order {{order}}, then ship it with {{carrier}}, tracking number "
        "{{tracking}}.",
        "Send the invoice of order {{order}} and then the goods: carrier "
        "{{carrier}}, tracking number {{tracking}}.",
        "Bring order {{order}} to its end: make the invoice, then the shipment "
        "with {{carrier}} and tracking number {{tracking}}.",
    ),
    row(
        "backoffice.cancel_order",
        _draw_cancel,
        _cancel,
        'Cancel order {{order}} for the reason "{{reason}}".',
        'Please cancel order {{order}}; the reason is "{{reason}}".',
        'Order {{order}} must be cancelled, choose "{{reason}}" as the reason.',
    ),
    row(
        "backoffice.comment_order",
        draw_one("comment", data.COMMENTS, after=draw_order),
        _comment,
        'Add the comment "{{comment}}" to order {{order}}.',
        'Write "{{comment}}" in the comments of order {{order}}.',
        'Leave a comment on order {{order}}: "{{comment}}"',
    ),
    row(
        "backoffice.set_group",
        _draw_regroup,
        _set_group,
        "Move the customer {{customer}} to the group {{group}}.",
        "Change the group of {{customer}} to {{group}}.",
        "{{customer}} belongs to the group {{group}} from now on, save that.",
    ),
    row(
        "backoffice.set_group_of_buyer",
        _draw_regroup_buyer,
        _set_buyers_group,
        "Move the customer who placed order {{order}} to the group {{group}}.",
        "Change the group of the customer behind order {{order}} to {{group}}.",
        "Whoever placed order {{order}} belongs to the group {{group}} now, save that.",
        is_held_out=True,
    ),
)
