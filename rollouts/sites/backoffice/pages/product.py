"""The pages and forms of products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.records import Product
from rollouts.sites.backoffice.rendering import (
    PAGE_SIZE,
    choice,
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
from rollouts.sites.shop.data import CATEGORIES

BULK_SIZE = 8
PRODUCT_SORTS: dict[str, tuple[str, Callable[[Product], Any]]] = {
    "name": ("Name", lambda product: product.name),
    "price": ("Price", lambda product: (product.price, product.name)),
    "stock": ("Stock", lambda product: (product.stock, product.name)),
}
ACTIONS = {"Enable": True, "Disable": False}


def chosen_products(office: Office, category: str) -> list[Product]:
    """The products of a category, or all, by name."""
    found = [p for p in office.products.values() if category in ("", p.category)]
    return sorted(found, key=lambda product: product.name)


async def products(request: Request) -> Response:
    """Products of a category or all, sorted by a column, by pages."""
    category = choice(request, "category", CATEGORIES)
    chosen = chosen_products(office_of(request), category)
    found, heads = sort_items(request, chosen, PRODUCT_SORTS, "name")
    return render(
        request,
        "products.html",
        page=paginate(request, found, PAGE_SIZE),
        heads=heads,
        category=category,
        categories=CATEGORIES,
        is_exported="exported" in request.query_params,
    )


def _bulk_page(request: Request, error: str = "") -> Response:
    category = choice(request, "category", CATEGORIES)
    chosen = chosen_products(office_of(request), category)
    return render(
        request,
        "products_bulk.html",
        422 if error else 200,
        page=paginate(request, chosen, BULK_SIZE),
        query=request.url.query,
        category=category,
        categories=CATEGORIES,
        actions=ACTIONS,
        error=error,
    )


async def bulk(request: Request) -> Response:
    """A list to tick several products."""
    return _bulk_page(request)


async def apply_bulk(request: Request) -> Response:
    """Enable or disable what was ticked."""
    form, office = await read_form(request), office_of(request)
    ticked = [slug for slug in data.PRODUCTS if f"product-{slug}" in form]
    action = form.get("action", "")
    if action not in ACTIONS:
        return _bulk_page(request, "Choose an action.")
    try:
        office.enable(ticked, ACTIONS[action])
    except OfficeError as error:
        return _bulk_page(request, str(error))
    category = choice(request, "category", CATEGORIES)
    return see_other(f"/product-bulk?category={category}&done=applied")


def _product(request: Request) -> Product:
    found = office_of(request).products
    return find_or_404(found, request.path_params["slug"], "product")


async def product(request: Request) -> Response:
    """One product: details, stock and reviews."""
    found, office = _product(request), office_of(request)
    reviews = [r for r in office.reviews.values() if r.product == found.slug]
    return render(
        request,
        "product.html",
        product=found,
        reviews=reviews,
        customers=office.customers,
    )


def _edit_page(request: Request, form: Form, error: str = "") -> Response:
    found = _product(request)
    price = f"{found.price // 100}.{found.price % 100:02d}"
    fields = {"name": found.name, "price": price, "stock": str(found.stock), **form}
    code = 422 if error else 200
    return render(
        request, "product_edit.html", code, product=found, form=fields, error=error
    )


async def edit(request: Request) -> Response:
    """The form for name, price and stock."""
    return _edit_page(request, {})


async def save(request: Request) -> Response:
    """Save name, price and stock, then show the product."""
    found, form = _product(request), await read_form(request)
    fields = {name: form.get(name, "") for name in ("name", "price", "stock")}
    try:
        office_of(request).edit_product(found.slug, **fields)
    except OfficeError as error:
        return _edit_page(request, fields, str(error))
    return see_other(f"/product/{found.slug}?done=saved")


async def enable(request: Request) -> Response:
    """Show the product in the shop or hide it, then show it."""
    found, form = _product(request), await read_form(request)
    on = form.get("on") == "yes"
    office_of(request).enable([found.slug], on)
    done = "enabled" if on else "disabled"
    return see_other(f"/product/{found.slug}?done={done}")


PRODUCT_ROUTES = [
    Route("/products", products),
    Route("/product-bulk", bulk),
    form_route("/product-bulk", apply_bulk),
    Route("/product/{slug}", product),
    Route("/product-edit/{slug}", edit),
    form_route("/product-edit/{slug}", save),
    form_route("/product/{slug}/enable", enable),
]
