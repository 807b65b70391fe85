"""The pages and forms of customers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Customer
from rollouts.sites.backoffice.rendering import (
    PAGE_SIZE,
    choice,
    office_of,
    render,
    sort_items,
)
from rollouts.sites.backoffice.state import OfficeError
from rollouts.sites.kit.web import (
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)

LATEST = 6
CUSTOMER_SORTS: dict[str, tuple[str, Callable[[Customer], Any]]] = {
    "name": ("Name", lambda customer: customer.name),
    "city": ("City", lambda customer: (customer.city, customer.name)),
    "since": ("Since", lambda customer: (customer.since, customer.name)),
}


async def customers(request: Request) -> Response:
    """Customers of a group or all, sorted by a column, by pages."""
    group = choice(request, "group", data.GROUPS)
    found = office_of(request).customers.values()
    chosen = [c for c in found if group in ("", c.group)]
    ordered, heads = sort_items(request, chosen, CUSTOMER_SORTS, "name")
    return render(
        request,
        "customers.html",
        page=paginate(request, ordered, PAGE_SIZE),
        heads=heads,
        group=group,
        groups=data.GROUPS,
        is_exported="exported" in request.query_params,
    )


def _customer(request: Request) -> Customer:
    found = office_of(request).customers
    return find_or_404(found, request.path_params["slug"], "customer")


def _customer_page(request: Request, error: str = "") -> Response:
    found, office = _customer(request), office_of(request)
    orders = [o for o in office.orders.values() if o.customer == found.slug]
    return render(
        request,
        "customer.html",
        422 if error else 200,
        customer=found,
        count=len(orders),
        orders=orders[: -LATEST - 1 : -1],
        groups=data.GROUPS,
        error=error,
    )


async def customer(request: Request) -> Response:
    """One customer: address, group and latest orders."""
    return _customer_page(request)


async def set_group(request: Request) -> Response:
    """Move the customer into a group, then show the customer."""
    found, form = _customer(request), await read_form(request)
    try:
        office_of(request).set_group(found.slug, form.get("group", ""))
    except OfficeError as error:
        return _customer_page(request, str(error))
    return see_other(f"/customer/{found.slug}?done=saved")


CUSTOMER_ROUTES = [
    Route("/customers", customers),
    Route("/customer/{slug}", customer),
    form_route("/customer/{slug}/group", set_group),
]
