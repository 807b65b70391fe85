"""Office tasks that end on a list: filtered, sorted, turned to a page."""

from __future__ import annotations

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.lookups import draw_category, one_of, whole_number
from rollouts.sites.kit.blanks import draw_one, draw_page
from rollouts.sites.kit.goals import turn_to
from rollouts.sites.kit.plans import Click, Select, Step
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, known, navigate
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


def _page(values: Values) -> Goal:
    category = one_of(list(CATEGORIES), values, "category")
    number = whole_number(values, "page", 2, LAST_PAGE)
    address = f"{HOME}/products?category={category}&page={number}"
    return navigate(
        address, Click("Products"), Select("Category", category), turn_to(number)
    )


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


def _sorted_orders(values: Values) -> Goal:
    status = one_of(data.STATUSES, values, "status")
    column, is_down = known(ORDER_ORDERS, values["sorting"], "way to sort")
    sort = f"{'-' if is_down else ''}{column.lower()}"
    clicks = [Click(column)] * (2 if is_down else 1)
    way: list[Step] = [Click("Orders"), Select("Order status", status), *clicks]
    return navigate(f"{HOME}/orders?status={status}&sort={sort}", way)


NAVIGATE_LIST_TEMPLATES = table(
    BACKOFFICE,
    "navigate",
    row(
        "backoffice.open_products_page",
        draw_page(draw_category, LAST_PAGE),
        _page,
        "Open page {{page}} of the products in {{category}}.",
        "Show the {{category}} products and turn to page {{page}}.",
        "Go to page {{page}} of the product list for {{category}}.",
    ),
    row(
        "backoffice.open_sorted_products",
        draw_one("sorting", PRODUCT_ORDERS, after=draw_category),
        _sorted_products,
        "Show the {{category}} products sorted {{sorting}}.",
        "List the products of {{category}} and sort them {{sorting}}.",
        "Open the product list of {{category}}, sorted {{sorting}}.",
    ),
    row(
        "backoffice.open_sorted_orders",
        draw_one("sorting", ORDER_ORDERS, after=draw_one("status", data.STATUSES)),
        _sorted_orders,
        "Show the {{status}} orders sorted {{sorting}}.",
        "List all {{status}} orders and sort them {{sorting}}.",
        "Open the list of {{status}} orders, sorted {{sorting}}.",
        is_held_out=True,
    ),
)
