"""Products: finding, comparing, wishing and reviewing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import (
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Product
from rollouts.sites.shop.rendering import product_of, read_number, render, shop_of
from rollouts.sites.shop.state import ShopError

SORTS: dict[str, tuple[str, Callable[[Product], Any]]] = {
    "popular": ("Most popular", lambda product: product.popularity),
    "lowest": ("Lowest price", lambda product: product.price),
    "highest": ("Highest price", lambda product: -product.price),
    "newest": ("Newest first", lambda product: product.age),
}


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
    shop = shop_of(request)
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
    return _product_page(request, product_of(request))


async def add_to_cart(request: Request) -> Response:
    """Add to the cart, then show it."""
    chosen, form = product_of(request), await read_form(request)
    try:
        shop_of(request).add_to_cart(chosen, read_number(form.get("quantity", "1")))
    except ShopError as error:
        return _product_page(request, chosen, str(error))
    return see_other("/cart")


async def add_review(request: Request) -> Response:
    """Write a review, then show the product's reviews."""
    chosen, form = product_of(request), await read_form(request)
    stars = read_number(form.get("stars", ""))
    try:
        shop_of(request).add_review(chosen, stars, form.get("text", ""))
    except ShopError as error:
        return _product_page(request, chosen, str(error))
    return see_other(f"/product/{chosen.slug}?tab=reviews")


async def set_wish(request: Request) -> Response:
    """Add to the wishlist or remove from it, then show where the click was made."""
    chosen, form = product_of(request), await read_form(request)
    shop_of(request).set_wish(chosen, form.get("wished") == "yes")
    return see_other(
        "/wishlist" if form.get("back") == "wishlist" else f"/product/{chosen.slug}"
    )


async def wishlist(request: Request) -> Response:
    """The wished products."""
    page = paginate(request, shop_of(request).wishlist)
    return render(request, "wishlist.html", page=page)


PRODUCT_ROUTES = [
    Route("/category/{slug}", category),
    Route("/search", search),
    Route("/suggest", suggest),
    Route("/product/{slug}", product),
    form_route("/product/{slug}/cart", add_to_cart),
    form_route("/product/{slug}/wish", set_wish),
    form_route("/product/{slug}/review", add_review),
    Route("/wishlist", wishlist),
]
