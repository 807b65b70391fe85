"""Shop tasks that end on a page."""

from __future__ import annotations

from rollouts.sites.kit.blanks import draw_one, draw_page, draw_query
from rollouts.sites.kit.goals import open_area, open_item, open_results, turn_to
from rollouts.sites.kit.plans import Select
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, known, navigate
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


def _category(values: Values) -> Goal:
    slug = category_of(values)
    return navigate(f"{HOME}/category/{slug}", go_to_category(values))


def _sorted(values: Values) -> Goal:
    sort = known(SORT_BY_LABEL, values["sort"], "way to sort")
    address = f"{HOME}/category/{category_of(values)}?sort={sort}"
    return navigate(address, go_to_category(values), Select(SORT_BOX, values["sort"]))


def _page(values: Values) -> Goal:
    number = whole_number(values, "page", 2, 6)
    address = f"{HOME}/category/{category_of(values)}?page={number}"
    return navigate(address, go_to_category(values), turn_to(number))


NAVIGATE_TEMPLATES = table(
    SHOP,
    "navigate",
    row(
        "shop.open_area",
        draw_one("area", AREAS),
        open_area(SHOP, AREAS),
        "Open the {{area}} page.",
        "Go to {{area}}.",
        "Show me the {{area}} page of the shop.",
    ),
    row(
        "shop.open_results",
        draw_query(lambda rng: data.CATEGORIES[rng.choice(list(data.CATEGORIES))]),
        open_results(SHOP, SEARCH_BOX),
        'Search the shop for "{{query}}".',
        'Look for "{{query}}" in the shop.',
        'Show me the search results for "{{query}}".',
    ),
    row(
        "shop.open_category",
        draw_category,
        _category,
        "Open the {{category}} category.",
        "Show me everything in {{category}}.",
        "Go to the products of {{category}}.",
    ),
    row(
        "shop.open_product",
        draw_product,
        open_item(SHOP, "/product/{0.slug}", product_of, go_to),
        'Open the page of the "{{product}}".',
        'Go to the product page of "{{product}}".',
        'Show me the "{{product}}".',
    ),
    row(
        "shop.open_sorted",
        draw_one("sort", SORT_BY_LABEL, after=draw_category),
        _sorted,
        'Show the {{category}} category sorted by "{{sort}}".',
        'Open {{category}} and sort it by "{{sort}}".',
        'List the products of {{category}}, sorted by "{{sort}}".',
    ),
    row(
        "shop.open_category_page",
        draw_page(draw_category),
        _page,
        "Open page {{page}} of the {{category}} category.",
        "Show me page {{page}} of {{category}}.",
        "Go to {{category}} and turn to page {{page}}.",
        is_held_out=True,
    ),
    row(
        "shop.open_order",
        draw_order,
        open_item(SHOP, "/order/{0.number}", order_of, go_to_order),
        "Open order {{order}}.",
        "Show me the page of order {{order}}.",
        "Go to the details of my order {{order}}.",
    ),
)
