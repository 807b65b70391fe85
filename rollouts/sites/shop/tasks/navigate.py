"""Shop tasks that end on a page."""

from __future__ import annotations

from random import Random
from urllib.parse import quote_plus

from rollouts.sites.kit.plans import Click, Search, Select
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.task_templates import Goal, Template, Values, known, navigate
from rollouts.sites.shop import data
from rollouts.sites.shop.lookups import (
    SEARCH_BOX,
    SORT_BOX,
    category_of,
    draw_category,
    draw_order,
    draw_product,
    go_to,
    go_to_category,
    go_to_order,
    order_of,
    product_of,
    whole_number,
)
from rollouts.sites.shop.pages.product import SORTS

HOME = SHOP.placeholder
AREAS = {
    "Wishlist": "wishlist",
    "Orders": "orders",
    "Account": "account",
    "Cart": "cart",
}
SORT_BY_LABEL = {label: key for key, (label, _) in SORTS.items() if key != "popular"}


def _draw_area(rng: Random) -> Values:
    return {"area": rng.choice(list(AREAS))}


def _area(values: Values) -> Goal:
    slug = known(AREAS, values["area"], "page")
    return navigate(f"{HOME}/{slug}", Click(values["area"]))


def _draw_query(rng: Random) -> Values:
    materials, nouns = data.CATEGORIES[rng.choice(list(data.CATEGORIES))]
    return {"query": f"{rng.choice(materials)} {rng.choice(nouns)}"}


def _query(values: Values) -> Goal:
    query = values["query"]
    address = f"{HOME}/search?q={quote_plus(query)}"
    return navigate(address, Search(SEARCH_BOX, query))


def _category(values: Values) -> Goal:
    slug = category_of(values)
    return navigate(f"{HOME}/category/{slug}", go_to_category(values))


def _product(values: Values) -> Goal:
    product = product_of(values)
    return navigate(f"{HOME}/product/{product.slug}", go_to(product))


def _draw_sort(rng: Random) -> Values:
    return {**draw_category(rng), "sort": rng.choice(list(SORT_BY_LABEL))}


def _sorted(values: Values) -> Goal:
    sort = known(SORT_BY_LABEL, values["sort"], "way to sort")
    address = f"{HOME}/category/{category_of(values)}?sort={sort}"
    return navigate(address, go_to_category(values), Select(SORT_BOX, values["sort"]))


def _draw_page(rng: Random) -> Values:
    return {**draw_category(rng), "page": str(rng.randint(2, 4))}


def _page(values: Values) -> Goal:
    number = whole_number(values, "page", 2, 6)
    address = f"{HOME}/category/{category_of(values)}?page={number}"
    turns = [Click("Next page")] * (number - 1)
    return navigate(address, go_to_category(values), turns)


def _order(values: Values) -> Goal:
    order = order_of(values)
    return navigate(f"{HOME}/order/{order.number}", go_to_order(order))


NAVIGATE_TEMPLATES = (
    Template(
        "shop.open_area",
        SHOP,
        "navigate",
        (
            "Open the {{area}} page.",
            "Go to {{area}}.",
            "Show me the {{area}} page of the shop.",
        ),
        _draw_area,
        _area,
    ),
    Template(
        "shop.open_results",
        SHOP,
        "navigate",
        (
            'Search the shop for "{{query}}".',
            'Look for "{{query}}" in the shop.',
            'Show me the search results for "{{query}}".',
        ),
        _draw_query,
        _query,
    ),
    Template(
        "shop.open_category",
        SHOP,
        "navigate",
        (
            "Open the {{category}} category.",
            "Show me everything in {{category}}.",
            "Go to the products of {{category}}.",
        ),
        draw_category,
        _category,
    ),
    Template(
        "shop.open_product",
        SHOP,
        "navigate",
        (
            'Open the page of the "{{product}}".',
            'Go to the product page of "{{product}}".',
            'Show me the "{{product}}".',
        ),
        draw_product,
        _product,
    ),
    Template(
        "shop.open_sorted",
        SHOP,
        "navigate",
        (
            'Show the {{category}} category sorted by "{{sort}}".',
            'Open {{category}} and sort it by "{{sort}}".',
            'List the products of {{category}}, sorted by "{{sort}}".',
        ),
        _draw_sort,
        _sorted,
    ),
    Template(
        "shop.open_category_page",
        SHOP,
        "navigate",
        (
            "Open page {{page}} of the {{category}} category.",
            "Show me page {{page}} of {{category}}.",
            "Go to {{category}} and turn to page {{page}}.",
        ),
        _draw_page,
        _page,
        is_held_out=True,
    ),
    Template(
        "shop.open_order",
        SHOP,
        "navigate",
        (
            "Open order {{order}}.",
            "Show me the page of order {{order}}.",
            "Go to the details of my order {{order}}.",
        ),
        draw_order,
        _order,
    ),
)
