"""The shop's start page and Robin's account, and the list of all its addresses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.web import form_route, read_form, see_other
from rollouts.sites.shop import data
from rollouts.sites.shop.pages.order import ORDER_ROUTES
from rollouts.sites.shop.pages.product import PRODUCT_ROUTES
from rollouts.sites.shop.rendering import ADDRESS_FIELDS, error_page, render, shop_of
from rollouts.sites.shop.state import ShopError, new_changes


async def home(request: Request) -> Response:
    """The most popular product of each category."""
    popular = [products[0] for products in data.BY_CATEGORY.values()]
    return render(request, "home.html", products=popular)


def _account_page(request: Request, error: str = "") -> Response:
    shop = shop_of(request)
    return render(
        request,
        "account.html",
        422 if error else 200,
        address=shop.address,
        wants_newsletter=shop.wants_newsletter,
        is_saved="saved" in request.query_params,
        error=error,
    )


async def account(request: Request) -> Response:
    """Robin's address and settings."""
    return _account_page(request)


async def change_address(request: Request) -> Response:
    """Save the address."""
    form = await read_form(request)
    fields = {name: form.get(name, "")[:100] for name in (*ADDRESS_FIELDS, "phone")}
    try:
        shop_of(request).change_address(fields)
    except ShopError as error:
        return _account_page(request, str(error))
    return see_other("/account?saved=1")


async def set_newsletter(request: Request) -> Response:
    """Switch the newsletter on or off."""
    form = await read_form(request)
    shop_of(request).set_newsletter(form.get("on") == "yes")
    return see_other("/account")


SHOP_PAGES = SitePages(
    key=SHOP.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        *PRODUCT_ROUTES,
        *ORDER_ROUTES,
        Route("/account", account),
        form_route("/account/address", change_address),
        form_route("/account/newsletter", set_newsletter),
    ],
)
