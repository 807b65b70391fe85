"""Office tasks that end on a list: filtered, sorted, turned to a page."""

from __future__ import annotations

from random import Random

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import draw_category, one_of, whole_number
from rollouts.sites.kit.plans import Click, Select, Step
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.task_templates import Goal, Template, Values, known, navigate
from rollouts.sites.shop.data import CATEGORIES

HOME = BACKOFFICE.placeholder
# An episode ends when one action is repeated too often, so no task turns further.
LAST_PAGE = 4
# The wording of an order -> column, backwards.
PRODUCT_ORDERS = {
    "by name from Z to A": ("Name", True),
    "by price, lowest first": ("Price", False),
    "by price, highest first": ("Price", True),
    "by stock, lowest first": ("Stock", False),
    "by stock, highest first": ("Stock", True),
}
ORDER_ORDERS = {
    "by customer from A to Z": ("Customer", False),
    "by customer from Z to A": ("Customer", True),
    "by total, lowest first": ("Total", False),
    "by total, highest first": ("Total", True),
}


def _draw_page(rng: Random) -> Values:
    return {**draw_category(rng), "page": str(rng.randint(2, LAST_PAGE))}


def _page(values: Values) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    number = whole_number(values, "page", 2, LAST_PAGE)
    address = f"{HOME}/products?category={category}&page={number}"
    turns = [Click("Next page")] * (number - 1)
    return navigate(address, Click("Products"), Select("Category", category), turns)


def _draw_sorted_products(rng: Random) -> Values:
    return {**draw_category(rng), "sorting": rng.choice(list(PRODUCT_ORDERS))}


def _sorted_products(values: Values) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    column, is_down = known(PRODUCT_ORDERS, values["sorting"], "way to sort")
    # The list is sorted by name as it opens.
    clicks = 2 if is_down and column != "Name" else 1
    sort = f"{'-' if is_down else ''}{column.lower()}"
    way: list[Step] = [
        Click("Products"),
        Select("Category", category),
        *[Click(column)] * clicks,
    ]
    return navigate(f"{HOME}/products?category={category}&sort={sort}", way)


def _draw_sorted_orders(rng: Random) -> Values:
    status, sorting = rng.choice(data.STATUSES), rng.choice(list(ORDER_ORDERS))
    return {"status": status, "sorting": sorting}


def _sorted_orders(values: Values) -> Goal:
    status = one_of(data.STATUSES, values, "status")
    column, is_down = known(ORDER_ORDERS, values["sorting"], "way to sort")
    sort = f"{'-' if is_down else ''}{column.lower()}"
    clicks = [Click(column)] * (2 if is_down else 1)
    way: list[Step] = [Click("Orders"), Select("Order status", status), *clicks]
    return navigate(f"{HOME}/orders?status={status}&sort={sort}", way)


NAVIGATE_LIST_TEMPLATES = (
    Template(
        "backoffice.open_products_page",
        BACKOFFICE,
        "navigate",
        (
            "Open page {{page}} of the products in {{category}}.",
            "Show the {{category}} products and turn to page {{page}}.",
            "Go to page {{page}} of the product list for {{category}}.",
        ),
        _draw_page,
        _page,
    ),
    Template(
        "backoffice.open_sorted_products",
        BACKOFFICE,
        "navigate",
        (
            "Show the {{category}} products sorted {{sorting}}.",
            "List the products of {{category}} and sort them {{sorting}}.",
            "Open the product list of {{category}}, sorted {{sorting}}.",
        ),
        _draw_sorted_products,
        _sorted_products,
    ),
    Template(
        "backoffice.open_sorted_orders",
        BACKOFFICE,
        "navigate",
        (
            "Show the {{status}} orders sorted {{sorting}}.",
            "List all {{status}} orders and sort them {{sorting}}.",
            "Open the list of {{status}} orders, sorted {{sorting}}.",
        ),
        _draw_sorted_orders,
        _sorted_orders,
        is_held_out=True,
    ),
)
