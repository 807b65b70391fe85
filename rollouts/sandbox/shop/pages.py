"""The shop's pages and forms: read the request, call the shop, render or redirect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rollouts.sandbox.shop import data
from rollouts.sandbox.shop.data import Order, Product
from rollouts.sandbox.shop.state import (
    CartLine,
    Shop,
    ShopError,
    lines,
    new_changes,
    order_total,
)
from rollouts.sandbox.site_app import SitePages
from rollouts.sandbox.sites import SHOP
from rollouts.sandbox.vocabulary import slugify
from rollouts.sandbox.web import (
    Form,
    Renderer,
    changes_of,
    find_or_404,
    new_environment,
    paginate,
    read_form,
    see_other,
)

FOLDER = Path(__file__).parent
SORTS: dict[str, tuple[str, Callable[[Product], Any]]] = {
    "popular": ("Most popular", lambda product: product.popularity),
    "lowest": ("Lowest price", lambda product: product.price),
    "highest": ("Highest price", lambda product: -product.price),
    "newest": ("Newest first", lambda product: product.age),
}
ORDER_SORTS: dict[str, Callable[[Order], Any]] = {
    "date": lambda order: -order.number,
    "total": lambda order: (-order_total(order), -order.number),
}
ADDRESS_FIELDS = ("street", "city", "zip")


def _shared(request: Request) -> dict[str, Any]:
    cart = Shop(changes_of(request)).cart
    return {
        "site": SHOP,
        "categories": data.CATEGORY_BY_SLUG,
        "cart_count": sum(line.quantity for line in cart),
    }


_environment = new_environment(FOLDER)
_environment.filters["price"] = data.format_price
_environment.filters["slug"] = slugify
render = Renderer(_environment, _shared)


def _shop(request: Request) -> Shop:
    return Shop(changes_of(request))


def _product(request: Request) -> Product:
    return find_or_404(data.PRODUCTS, request.path_params["slug"], "product")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 6 else 0


async def home(request: Request) -> Response:
    """The most popular product of each category."""
    popular = [products[0] for products in data.BY_CATEGORY.values()]
    return render(request, "home.html", products=popular)


async def category(request: Request) -> Response:
    """The products of a category, sorted and by pages."""
    slug = request.path_params["slug"]
    name = find_or_404(data.CATEGORY_BY_SLUG, slug, "category")
    sort = request.query_params.get("sort", "")
    sort = sort if sort in SORTS else "popular"
    products = sorted(data.BY_CATEGORY[name], key=SORTS[sort][1])
    return render(
        request,
        "category.html",
        name=name,
        page=paginate(request, products),
        sort=sort,
        sorts={key: label for key, (label, _) in SORTS.items()},
    )


def find_products(query: str) -> list[Product]:
    """Products whose name holds every word of the query."""
    words = set(query.lower().split())
    if not words:
        return []
    return [p for p in data.PRODUCTS.values() if words <= set(p.name.lower().split())]


async def search(request: Request) -> Response:
    """Products found by name."""
    query = request.query_params.get("q", "").strip()[:100]
    page = paginate(request, find_products(query))
    return render(request, "search.html", query=query, page=page)


async def suggest(request: Request) -> Response:
    """Up to five product names that begin with, or hold, what has been typed."""
    typed = request.query_params.get("q", "").strip().lower()
    names = [name for name in data.PRODUCT_BY_NAME if typed and typed in name.lower()]
    return JSONResponse([[name, f"/product/{slugify(name)}"] for name in names[:5]])


def _product_page(request: Request, product: Product, error: str = "") -> Response:
    shop = _shop(request)
    return render(
        request,
        "product.html",
        422 if error else 200,
        product=product,
        reviews=shop.reviews(product),
        is_wished=product in shop.wishlist,
        error=error,
    )


async def product(request: Request) -> Response:
    """One product: price, details, delivery and reviews."""
    return _product_page(request, _product(request))


async def add_to_cart(request: Request) -> Response:
    """Add to the cart, then show it."""
    chosen, form = _product(request), await read_form(request)
    try:
        _shop(request).add_to_cart(chosen, _number(form.get("quantity", "1")))
    except ShopError as error:
        return _product_page(request, chosen, str(error))
    return see_other("/cart")


async def add_review(request: Request) -> Response:
    """Write a review, then show the product's reviews."""
    chosen, form = _product(request), await read_form(request)
    stars = _number(form.get("stars", ""))
    try:
        _shop(request).add_review(chosen, stars, form.get("text", ""))
    except ShopError as error:
        return _product_page(request, chosen, str(error))
    return see_other(f"/product/{chosen.slug}?tab=reviews")


async def set_wish(request: Request) -> Response:
    """Add to the wishlist or remove from it, then show where the click was made."""
    chosen, form = _product(request), await read_form(request)
    _shop(request).set_wish(chosen, form.get("wished") == "yes")
    return see_other(
        "/wishlist" if form.get("back") == "wishlist" else f"/product/{chosen.slug}"
    )


async def wishlist(request: Request) -> Response:
    """The wished products."""
    page = paginate(request, _shop(request).wishlist)
    return render(request, "wishlist.html", page=page)


async def cart(request: Request) -> Response:
    """What is in the cart and what it costs."""
    found = _shop(request).cart
    return render(request, "cart.html", lines=found, total=_sum(found))


def _sum(found: list[CartLine]) -> int:
    return sum(line.total for line in found)


async def remove_from_cart(request: Request) -> Response:
    """Take a product out of the cart."""
    _shop(request).remove_from_cart(_product(request))
    return see_other("/cart")


def _checkout_page(request: Request, form: Form, error: str = "") -> Response:
    shop = _shop(request)
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
    form, shop = await read_form(request), _shop(request)
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
    found = sorted(_shop(request).orders.values(), key=ORDER_SORTS[sort])
    return render(request, "orders.html", page=paginate(request, found), sort=sort)


def _order_page(request: Request, error: str = "") -> Response:
    order = find_or_404(_shop(request).orders, request.path_params["number"], "order")
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
    find_or_404(_shop(request).orders, number, "order")
    try:
        _shop(request).cancel_order(number)
    except ShopError as error:
        return _order_page(request, str(error))
    return see_other(f"/order/{number}")


async def order_again(request: Request) -> Response:
    """Put an order's products into the cart again."""
    number = request.path_params["number"]
    find_or_404(_shop(request).orders, number, "order")
    try:
        _shop(request).order_again(number)
    except ShopError as error:
        return _order_page(request, str(error))
    return see_other("/cart")


def _account_page(request: Request, error: str = "") -> Response:
    shop = _shop(request)
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
        _shop(request).change_address(fields)
    except ShopError as error:
        return _account_page(request, str(error))
    return see_other("/account?saved=1")


async def set_newsletter(request: Request) -> Response:
    """Switch the newsletter on or off."""
    form = await read_form(request)
    _shop(request).set_newsletter(form.get("on") == "yes")
    return see_other("/account")


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)


def _post(path: str, endpoint: Callable[[Request], Any]) -> Route:
    return Route(path, endpoint, methods=["POST"])


SHOP_PAGES = SitePages(
    key=SHOP.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/category/{slug}", category),
        Route("/search", search),
        Route("/suggest", suggest),
        Route("/product/{slug}", product),
        _post("/product/{slug}/cart", add_to_cart),
        _post("/product/{slug}/wish", set_wish),
        _post("/product/{slug}/review", add_review),
        Route("/wishlist", wishlist),
        Route("/cart", cart),
        _post("/cart/{slug}/remove", remove_from_cart),
        Route("/checkout", checkout),
        _post("/checkout", place_order),
        Route("/orders", orders),
        Route("/order/{number:int}", order),
        _post("/order/{number:int}/cancel", cancel_order),
        _post("/order/{number:int}/again", order_again),
        Route("/account", account),
        _post("/account/address", change_address),
        _post("/account/newsletter", set_newsletter),
    ],
)
