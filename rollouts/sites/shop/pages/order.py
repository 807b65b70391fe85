"""The cart, the checkout and the orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.web import (
    Form,
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Order
from rollouts.sites.shop.rendering import ADDRESS_FIELDS, product_of, render, shop_of
from rollouts.sites.shop.state import CartLine, ShopError, lines, order_total

ORDER_SORTS: dict[str, Callable[[Order], Any]] = {
    "date": lambda order: -order.number,
    "total": lambda order: (-order_total(order), -order.number),
}


async def cart(request: Request) -> Response:
    """What is in the cart and what it costs."""
    found = shop_of(request).cart
    return render(request, "cart.html", lines=found, total=_sum(found))


def _sum(found: list[CartLine]) -> int:
    return sum(line.total for line in found)


async def remove_from_cart(request: Request) -> Response:
    """Take a product out of the cart."""
    shop_of(request).remove_from_cart(product_of(request))
    return see_other("/cart")


def _checkout_page(request: Request, form: Form, error: str = "") -> Response:
    shop = shop_of(request)
    if not shop.cart:
        return see_other("/cart")
    return render(
        request,
        "checkout.html",
        422 if error else 200,
        form={**shop.address, "delivery": "Standard", **form},
        deliveries=data.DELIVERIES,
        total=_sum(shop.cart),
        error=error,
    )


async def checkout(request: Request) -> Response:
    """The form for address and delivery."""
    return _checkout_page(request, {})


async def place_order(request: Request) -> Response:
    """Order the cart, then show the order."""
    form, shop = await read_form(request), shop_of(request)
    address = {name: form.get(name, "") for name in ADDRESS_FIELDS}
    address = {**data.ADDRESS, **address}
    try:
        number = shop.place_order(form.get("delivery", ""), address)
    except ShopError as error:
        return _checkout_page(request, form, str(error))
    return see_other(f"/order/{number}?placed=1")


async def orders(request: Request) -> Response:
    """All orders, newest or dearest first."""
    sort = request.query_params.get("sort", "")
    sort = sort if sort in ORDER_SORTS else "date"
    found = sorted(shop_of(request).orders.values(), key=ORDER_SORTS[sort])
    return render(request, "orders.html", page=paginate(request, found), sort=sort)


def _order_page(request: Request, error: str = "") -> Response:
    order = find_or_404(shop_of(request).orders, request.path_params["number"], "order")
    return render(
        request,
        "order.html",
        422 if error else 200,
        order=order,
        lines=lines(order.items),
        total=order_total(order),
        is_new="placed" in request.query_params,
        error=error,
    )


async def order(request: Request) -> Response:
    """One order."""
    return _order_page(request)


async def cancel_order(request: Request) -> Response:
    """Cancel, then show the order."""
    number = request.path_params["number"]
    find_or_404(shop_of(request).orders, number, "order")
    try:
        shop_of(request).cancel_order(number)
    except ShopError as error:
        return _order_page(request, str(error))
    return see_other(f"/order/{number}")


async def order_again(request: Request) -> Response:
    """Put an order's products into the cart again."""
    number = request.path_params["number"]
    find_or_404(shop_of(request).orders, number, "order")
    try:
        shop_of(request).order_again(number)
    except ShopError as error:
        return _order_page(request, str(error))
    return see_other("/cart")


ORDER_ROUTES = [
    Route("/cart", cart),
    form_route("/cart/{slug}/remove", remove_from_cart),
    Route("/checkout", checkout),
    form_route("/checkout", place_order),
    Route("/orders", orders),
    Route("/order/{number:int}", order),
    form_route("/order/{number:int}/cancel", cancel_order),
    form_route("/order/{number:int}/again", order_again),
]
