"""Office tasks that end on a page."""

from __future__ import annotations

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
from rollouts.sites.kit.blanks import draw_one, draw_query
from rollouts.sites.kit.goals import open_area, open_item, open_results
from rollouts.sites.kit.plans import Click
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, known, navigate
from rollouts.sites.shop.data import CATEGORIES

HOME = BACKOFFICE.placeholder


def _report(values: Values) -> Goal:
    address = known(REPORTS, values["report"], "report")
    return navigate(f"{HOME}{address}", Click("Reports"), Click(values["report"]))


def _buyer(values: Values) -> Goal:
    order = order_of(values)
    buyer = data.CUSTOMERS[order.customer]
    way = [*go_to_order(order), Click(buyer.name)]
    return navigate(f"{HOME}/customer/{buyer.slug}", way)


NAVIGATE_TEMPLATES = table(
    BACKOFFICE,
    "navigate",
    row(
        "backoffice.open_area",
        draw_one("area", SECTIONS),
        open_area(BACKOFFICE, SECTIONS),
        "Open the {{area}} page of the back office.",
        "Go to {{area}} in the back office.",
        "Show me the {{area}} of the back office.",
    ),
    row(
        "backoffice.open_results",
        draw_query(lambda rng: CATEGORIES[rng.choice(list(CATEGORIES))]),
        open_results(BACKOFFICE, SEARCH_BOX),
        'Search the back office for "{{query}}".',
        'Look for "{{query}}" in the back office.',
        'Show me what the back office finds for "{{query}}".',
    ),
    row(
        "backoffice.open_report",
        draw_one("report", REPORTS),
        _report,
        'Open the report "{{report}}".',
        'Show me the "{{report}}" report.',
        'Go to the reports and open "{{report}}".',
    ),
    row(
        "backoffice.open_order",
        draw_order,
        open_item(BACKOFFICE, "/order/{0.number}", order_of, go_to_order),
        "Open order {{order}} in the back office.",
        "Show me the page of the customer order {{order}}.",
        "Go to the details of the placed order {{order}}.",
    ),
    row(
        "backoffice.open_product",
        draw_product,
        open_item(BACKOFFICE, "/product/{0.slug}", product_of, go_to),
        'Open the "{{product}}" in the back office.',
        'Show me the record of the product "{{product}}".',
        'Go to the back office page of the "{{product}}".',
    ),
    row(
        "backoffice.open_product_form",
        draw_product,
        open_item(
            BACKOFFICE,
            "/product-edit/{0.slug}",
            product_of,
            go_to,
            Click("Edit product"),
        ),
        'Open the form that edits the "{{product}}".',
        'Show me the edit page of the "{{product}}".',
        'I want to edit the "{{product}}", open its form and change nothing.',
        is_held_out=True,
    ),
    row(
        "backoffice.open_order_customer",
        draw_order,
        _buyer,
        "Open the page of the customer who placed order {{order}}.",
        "Show me the record of the person behind order {{order}}.",
        "Go from order {{order}} to the page of its customer.",
    ),
)
