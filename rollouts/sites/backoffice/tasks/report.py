"""Office tasks that ask what a report or a sorted list shows, and exports of lists."""

from __future__ import annotations

import datetime
from random import Random

from rollouts.sites.backoffice import data, reports
from rollouts.sites.backoffice.lookups import (
    bestsellers,
    draw_category,
    draw_days,
    draw_month,
    one_of,
)
from rollouts.sites.backoffice.records import format_price
from rollouts.sites.backoffice.reports import Sales
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    change,
    find,
    known,
    require,
)
from rollouts.sites.kit.vocabulary import MONTHS
from rollouts.sites.shop.data import CATEGORIES

SALES = reports.sales_by_month(list(data.ORDERS.values()))
MEASURES = ("number of orders", "number of pieces", "revenue")
# What a product can have most or least of: column, backwards.
EXTREMES = {
    "lowest price": ("Price", False),
    "highest price": ("Price", True),
    "smallest stock": ("Stock", False),
    "largest stock": ("Stock", True),
}
TO_BESTSELLERS: list[Step] = [Click("Reports"), Click("Bestsellers")]
EXPORT = Click("Export CSV")


def _measure(values: Values, sales: Sales) -> str:
    figures = {
        "number of orders": str(sales.orders),
        "number of pieces": str(sales.pieces),
        "revenue": format_price(sales.revenue),
    }
    return known(figures, values["measure"], "measure")


def _month_measure(values: Values) -> Goal:
    sales = known(SALES, values["month"], "month")
    answer = _measure(values, sales)
    return find(answer, Click("Reports"), Click("Sales by month"))


def _draw_days_measure(rng: Random) -> Values:
    first, last = draw_days(rng, -170, -40, 38)
    while first.endswith("-01"):  # a whole month has a report of its own
        first, last = draw_days(rng, -170, -40, 38)
    return {"first": first, "last": last, "measure": rng.choice(MEASURES)}


def _day(values: Values, key: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(values[key])
    except ValueError:
        require(False, f'"{values[key]}" is no day.')
        raise


def _days_measure(values: Values) -> Goal:
    first, last = _day(values, "first"), _day(values, "last")
    require(data.FIRST_DAY < first <= last < data.TODAY, "No sales in these days.")
    orders = data.ORDERS.values()
    sales = reports.sales_between(orders, first.isoformat(), last.isoformat())
    dates: list[Step] = [Type("From", first.isoformat()), Type("To", last.isoformat())]
    way: list[Step] = [
        Click("Reports"),
        Click("Sales by date"),
        *dates,
        Click("Show report"),
    ]
    return find(_measure(values, sales), way)


def _draw_month_category(rng: Random) -> Values:
    return {**draw_month(rng), **draw_category(rng)}


def _go_to_bestsellers(values: Values) -> list[Step]:
    month = Select("Month", one_of(MONTHS, values, "month"))
    category = Select("Category", one_of(list(CATEGORIES), values, "category"))
    return [*TO_BESTSELLERS, month, category]


def _has_one_best(month: str, category: str) -> bool:
    first, second, *_ = bestsellers(month, category)
    return first.pieces > second.pieces


def _draw_best(rng: Random) -> Values:
    while True:
        values = _draw_month_category(rng)
        if _has_one_best(values["month"], values["category"]):
            return values


def _best(values: Values) -> Goal:
    way = _go_to_bestsellers(values)
    is_clear = _has_one_best(values["month"], values["category"])
    require(is_clear, "Two products sold equally well.")
    rows = bestsellers(values["month"], values["category"])
    return find(rows[0].product.name, way)


def _extreme(values: Values) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    column, is_most = known(EXTREMES, values["extreme"], "extreme")
    products = [p for p in data.PRODUCTS.values() if p.category == category]
    products.sort(key=lambda product: getattr(product, column.lower()))
    clicks = [Click(column)] * (2 if is_most else 1)
    way: list[Step] = [Click("Products"), Select("Category", category), *clicks]
    return find(products[-1 if is_most else 0].name, way)


def _export(key: str, *steps: Step) -> Goal:
    return change(BACKOFFICE, {"exports": {key: True}}, *steps, EXPORT)


def _export_orders(values: Values) -> Goal:
    status = one_of(data.STATUSES, values, "status")
    return _export(f"orders/{status}", Click("Orders"), Select("Order status", status))


def _export_products(values: Values) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    choose = Select("Category", category)
    return _export(f"products/{category}", Click("Products"), choose)


def _export_bestsellers(values: Values) -> Goal:
    way = _go_to_bestsellers(values)
    return _export(f"bestsellers/{values['month']}/{values['category']}", *way)


REPORT_TEMPLATES = table(
    BACKOFFICE,
    "find",
    row(
        "backoffice.find_month_sales",
        draw_one("measure", MEASURES, after=draw_month),
        _month_measure,
        "What was the {{measure}} in {{month}}?",
        "Look at the sales by month: what is the {{measure}} of {{month}}?",
        "Tell me the {{measure}} of {{month}} from the sales report.",
    ),
    row(
        "backoffice.find_sales_between",
        _draw_days_measure,
        _days_measure,
        "What was the {{measure}} from {{first}} to {{last}}?",
        "Look at the sales by date: what is the {{measure}} between {{first}} "
        "and {{last}}?",
        "Tell me the {{measure}} from {{first}} to {{last}}, both days counted.",
    ),
    row(
        "backoffice.find_bestseller",
        _draw_best,
        _best,
        "Which {{category}} product sold best in {{month}}?",
        "What was the bestseller of {{category}} in {{month}}?",
        "Name the product in {{category}} that sold the most pieces in {{month}}.",
    ),
    row(
        "backoffice.find_extreme",
        draw_one("extreme", EXTREMES, after=draw_category),
        _extreme,
        "Which product in {{category}} has the {{extreme}}?",
        "Name the {{category}} product with the {{extreme}}.",
        "Find the product of the category {{category}} that has the {{extreme}}.",
    ),
    row(
        "backoffice.export_orders",
        draw_one("status", data.STATUSES),
        _export_orders,
        "Export all {{status}} orders as CSV.",
        "Export the list of orders with the status {{status}}.",
        "I need a CSV file of the {{status}} orders, export it.",
        kind="change",
    ),
    row(
        "backoffice.export_products",
        draw_category,
        _export_products,
        "Export all products of {{category}} as CSV.",
        "Export the list of products in the category {{category}}.",
        "I need a CSV file of the {{category}} products, export it.",
        kind="change",
    ),
    row(
        "backoffice.export_bestsellers",
        _draw_month_category,
        _export_bestsellers,
        "Export the bestsellers of {{category}} in {{month}} as CSV.",
        "Export the report of {{category}} bestsellers for {{month}}.",
        "I need a CSV file of what sold best in {{category}} in {{month}}, export it.",
        kind="change",
        is_held_out=True,
    ),
)
