"""What the shop's pages share: templates, the episode's shop, what addresses name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import Renderer, changes_of, find_or_404, new_environment
from rollouts.sites.shop import data
from rollouts.sites.shop.data import Product
from rollouts.sites.shop.state import Shop

FOLDER = Path(__file__).parent
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


def shop_of(request: Request) -> Shop:
    """The shop as Robin sees it in this episode."""
    return Shop(changes_of(request))


def product_of(request: Request) -> Product:
    """The product that the address names."""
    return find_or_404(data.PRODUCTS, request.path_params["slug"], "product")


def read_number(text: str) -> int:
    """A small number that was typed; 0 for anything else."""
    return int(text) if text.isdecimal() and len(text) < 6 else 0


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)
