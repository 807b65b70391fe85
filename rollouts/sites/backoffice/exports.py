"""Lists as CSV files.

The form records the export and shows the list again with a link to the file: a
browser that refuses downloads has still exported, and stays on a page.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data, reports
from rollouts.sites.backoffice.pages.order import chosen_orders
from rollouts.sites.backoffice.pages.product import chosen_products
from rollouts.sites.backoffice.records import format_price
from rollouts.sites.backoffice.rendering import office_of
from rollouts.sites.backoffice.state import Office
from rollouts.sites.kit.vocabulary import MONTHS
from rollouts.sites.kit.web import find_or_404, form_route, read_form, see_other
from rollouts.sites.shop.data import CATEGORIES

Filters = dict[str, str]
Rows = Iterable[tuple[object, ...]]


@dataclasses.dataclass(frozen=True)
class Export:
    """A list that can be exported: its page, its filters, its rows."""

    address: str
    filters: Mapping[str, Iterable[str]]
    rows: Callable[[Office, Filters], Rows]


def _orders(office: Office, filters: Filters) -> Rows:
    yield "Order", "Date", "Customer", "Total", "Status"
    for order in chosen_orders(office, filters["status"]):
        name, total = office.customers[order.customer].name, format_price(order.total)
        yield order.number, order.date, name, total, order.status


def _products(office: Office, filters: Filters) -> Rows:
    yield "Name", "SKU", "Category", "Price", "Stock"
    for row in chosen_products(office, filters["category"]):
        yield row.name, row.sku, row.category, format_price(row.price), row.stock


def _customers(office: Office, filters: Filters) -> Rows:
    yield "Name", "Group", "City", "Phone"
    for row in office.customers.values():
        if filters["group"] in ("", row.group):
            yield row.name, row.group, row.city, row.phone


def _bestsellers(office: Office, filters: Filters) -> Rows:
    yield "Product", "Pieces", "Revenue"
    orders, products = office.orders.values(), office.products
    for row in reports.bestsellers(orders, products, **filters):
        yield row.product.name, row.pieces, format_price(row.revenue)


def _months(office: Office, filters: Filters) -> Rows:
    yield "Month", "Orders", "Pieces", "Revenue"
    for month, row in reports.sales_by_month(list(office.orders.values())).items():
        yield month, row.orders, row.pieces, format_price(row.revenue)


EXPORTS = {
    "orders": Export("/orders", {"status": data.STATUSES}, _orders),
    "products": Export("/products", {"category": CATEGORIES}, _products),
    "customers": Export("/customers", {"group": data.GROUPS}, _customers),
    "bestsellers": Export(
        "/report/bestsellers",
        {"month": MONTHS, "category": CATEGORIES},
        _bestsellers,
    ),
    "months": Export("/report/months", {}, _months),
}


def _filters(export: Export, given: Mapping[str, Any]) -> Filters:
    """The filters that the list has; "" for unknown values."""
    return {
        name: given[name] if given.get(name, "") in options else ""
        for name, options in export.filters.items()
    }


async def record(request: Request) -> Response:
    """Record the export, then show the list with a link to the file."""
    name, form = request.path_params["name"], await read_form(request)
    export = find_or_404(EXPORTS, name, "list")
    filters = _filters(export, form)
    office_of(request).record_export(name, *filters.values())
    return see_other(f"{export.address}?{urlencode({**filters, 'exported': '1'})}")


async def download(request: Request) -> Response:
    """The file."""
    name = request.path_params["name"]
    export = find_or_404(EXPORTS, name, "list")
    rows = export.rows(office_of(request), _filters(export, request.query_params))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)


EXPORT_ROUTES = [
    form_route("/export/{name}", record),
    Route("/download/{name}.csv", download),
]
