"""Office tasks that end on a page."""

from __future__ import annotations

from random import Random
from urllib.parse import quote_plus

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import (
    SEARCH_BOX,
    draw_order,
    draw_product,
    go_to,
    go_to_order,
    order_of,
    product_of,
)
from rollouts.sites.backoffice.pages.report import REPORTS
from rollouts.sites.backoffice.rendering import SECTIONS
from rollouts.sites.kit.plans import Click, Search
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.task_templates import Goal, Template, Values, known, navigate
from rollouts.sites.shop.data import CATEGORIES

HOME = BACKOFFICE.placeholder


def _draw_area(rng: Random) -> Values:
    return {"area": rng.choice(list(SECTIONS))}


def _area(values: Values) -> Goal:
    address = known(SECTIONS, values["area"], "page")
    return navigate(f"{HOME}{address}", Click(values["area"]))


def _draw_query(rng: Random) -> Values:
    materials, nouns = CATEGORIES[rng.choice(list(CATEGORIES))]
    return {"query": f"{rng.choice(materials)} {rng.choice(nouns)}"}


def _query(values: Values) -> Goal:
    query = values["query"]
    address = f"{HOME}/search?q={quote_plus(query)}"
    return navigate(address, Search(SEARCH_BOX, query))


def _draw_report(rng: Random) -> Values:
    return {"report": rng.choice(list(REPORTS))}


def _report(values: Values) -> Goal:
    address = known(REPORTS, values["report"], "report")
    return navigate(f"{HOME}{address}", Click("Reports"), Click(values["report"]))


def _order(values: Values) -> Goal:
    order = order_of(values)
    return navigate(f"{HOME}/order/{order.number}", go_to_order(order))


def _product(values: Values) -> Goal:
    product = product_of(values)
    return navigate(f"{HOME}/product/{product.slug}", go_to(product))


def _edit_product(values: Values) -> Goal:
    product = product_of(values)
    address = f"{HOME}/product-edit/{product.slug}"
    return navigate(address, go_to(product), Click("Edit product"))


def _buyer(values: Values) -> Goal:
    order = order_of(values)
    buyer = data.CUSTOMERS[order.customer]
    way = [*go_to_order(order), Click(buyer.name)]
    return navigate(f"{HOME}/customer/{buyer.slug}", way)


NAVIGATE_TEMPLATES = (
    Template(
        "backoffice.open_area",
        BACKOFFICE,
        "navigate",
        (
            "Open the {{area}} page of the back office.",
            "Go to {{area}} in the back office.",
            "Show me the {{area}} of the back office.",
        ),
        _draw_area,
        _area,
    ),
    Template(
        "backoffice.open_results",
        BACKOFFICE,
        "navigate",
        (
            'Search the back office for "{{query}}".',
            'Look for "{{query}}" in the back office.',
            'Show me what the back office finds for "{{query}}".',
        ),
        _draw_query,
        _query,
    ),
    Template(
        "backoffice.open_report",
        BACKOFFICE,
        "navigate",
        (
            'Open the report "{{report}}".',
            'Show me the "{{report}}" report.',
            'Go to the reports and open "{{report}}".',
        ),
        _draw_report,
        _report,
    ),
    Template(
        "backoffice.open_order",
        BACKOFFICE,
        "navigate",
        (
            "Open order {{order}} in the back office.",
            "Show me the page of the customer order {{order}}.",
            "Go to the details of the placed order {{order}}.",
        ),
        draw_order,
        _order,
    ),
    Template(
        "backoffice.open_product",
        BACKOFFICE,
        "navigate",
        (
            'Open the "{{product}}" in the back office.',
            'Show me the record of the product "{{product}}".',
            'Go to the back office page of the "{{product}}".',
        ),
        draw_product,
        _product,
    ),
    Template(
        "backoffice.open_product_form",
        BACKOFFICE,
        "navigate",
        (
            'Open the form that edits the "{{product}}".',
            'Show me the edit page of the "{{product}}".',
            'I want to edit the "{{product}}", open its form and change nothing.',
        ),
        draw_product,
        _edit_product,
        is_held_out=True,
    ),
    Template(
        "backoffice.open_order_customer",
        BACKOFFICE,
        "navigate",
        (
            "Open the page of the customer who placed order {{order}}.",
            "Show me the record of the person behind order {{order}}.",
            "Go from order {{order}} to the page of its customer.",
        ),
        draw_order,
        _buyer,
    ),
)
