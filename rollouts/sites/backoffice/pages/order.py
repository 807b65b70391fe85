"""The pages and forms of orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Order
from rollouts.sites.backoffice.rendering import (
    PAGE_SIZE,
    choice,
    number_in_path,
    office_of,
    render,
    sort_items,
)
from rollouts.sites.backoffice.state import Office, OfficeError
from rollouts.sites.kit.web import (
    Form,
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)

ORDER_SORTS: dict[str, tuple[str, Callable[[Order], Any]]] = {
    "date": ("Date", lambda order: order.number),
    "customer": ("Customer", lambda order: (order.customer, order.number)),
    "total": ("Total", lambda order: (order.total, order.number)),
}


def chosen_orders(office: Office, status: str) -> list[Order]:
    """The orders with a status, or all."""
    return [o for o in office.orders.values() if status in ("", o.status)]


async def orders(request: Request) -> Response:
    """Orders with a status or all, sorted by a column, by pages."""
    office, status = office_of(request), choice(request, "status", data.STATUSES)
    chosen = chosen_orders(office, status)
    found, heads = sort_items(request, chosen, ORDER_SORTS, "-date")
    return render(
        request,
        "orders.html",
        page=paginate(request, found, PAGE_SIZE),
        heads=heads,
        status=status,
        statuses=data.STATUSES,
        customers=office.customers,
        is_exported="exported" in request.query_params,
    )


def _number(request: Request) -> int:
    number = number_in_path(request)
    find_or_404(data.ORDERS, number, "order")
    return number


def _order_page(request: Request, error: str = "") -> Response:
    office = office_of(request)
    found = office.orders[_number(request)]
    return render(
        request,
        "order.html",
        422 if error else 200,
        order=found,
        customer=office.customers[found.customer],
        products=office.products,
        carriers=data.CARRIERS,
        reasons=data.REASONS,
        error=error,
    )


async def order(request: Request) -> Response:
    """One order."""
    return _order_page(request)


def _form(
    act: Callable[[Office, int, Form], None], done: str
) -> Callable[[Request], Any]:
    """An endpoint that does something to an order and shows it again."""

    async def endpoint(request: Request) -> Response:
        number, form = _number(request), await read_form(request)
        try:
            act(office_of(request), number, form)
        except OfficeError as error:
            return _order_page(request, str(error))
        return see_other(f"/order/{number}?{done}")

    return endpoint


def _ship(office: Office, number: int, form: Form) -> None:
    office.ship(number, form.get("carrier", ""), form.get("tracking", ""))


def _cancel(office: Office, number: int, form: Form) -> None:
    office.cancel(number, form.get("reason", ""))


def _comment(office: Office, number: int, form: Form) -> None:
    office.comment(number, form.get("text", ""))


def _invoice(office: Office, number: int, form: Form) -> None:
    office.invoice(number)


ORDER_ROUTES = [
    Route("/orders", orders),
    Route("/order/{number}", order),
    form_route("/order/{number}/invoice", _form(_invoice, "done=invoiced")),
    form_route("/order/{number}/ship", _form(_ship, "done=shipped")),
    form_route("/order/{number}/cancel", _form(_cancel, "done=cancelled")),
    form_route(
        "/order/{number}/comment", _form(_comment, "done=commented&tab=comments")
    ),
]
