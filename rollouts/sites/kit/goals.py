"""Goals that templates of all sites share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote_plus

from rollouts.sites.kit.plans import Click, Search, Step
from rollouts.sites.kit.sites import Site
from rollouts.sites.kit.task_templates import Goal, Values, find, known, navigate

Item = TypeVar("Item")
Solve = Callable[[Values], Goal]


def open_area(site: Site, areas: Mapping[str, str]) -> Solve:
    """End on a page of the menu: its address by its name."""

    def solve(values: Values) -> Goal:
        address = known(areas, values["area"], "page")
        way = f"{site.placeholder}/{address.removeprefix('/')}"
        return navigate(way, Click(values["area"]))

    return solve


def open_results(site: Site, search_box: str) -> Solve:
    """End on the results of a search."""

    def solve(values: Values) -> Goal:
        query = values["query"]
        address = f"{site.placeholder}/search?q={quote_plus(query)}"
        return navigate(address, Search(search_box, query))

    return solve


def open_item(
    site: Site,
    address: str,
    choose: Callable[[Values], Item],
    go: Callable[[Item], Sequence[Step]],
    *then: Step,
) -> Solve:
    """End on the page of one item.

    Args:
        site: Where it is.
        address: The page's, with the item's fields: "/order/{0.number}".
        choose: Returns the item that the blanks name.
        go: The steps to the item's own page.
        then: The steps from there on.
    """

    def solve(values: Values) -> Goal:
        item = choose(values)
        return navigate(site.placeholder + address.format(item), go(item), then)

    return solve


def tell_field(
    field: str,
    choose: Callable[[Values], Item],
    go: Callable[[Item], Sequence[Step]],
    *then: Step,
) -> Solve:
    """Answer with one field of an item.

    Args:
        field: The answer, with the item's fields: "{0.brand}".
        choose: Returns the item that the blanks name.
        go: The steps to the page that shows it.
        then: The steps from there on.
    """

    def solve(values: Values) -> Goal:
        item = choose(values)
        return find(field.format(item), go(item), then)

    return solve


def turn_to(page: int) -> list[Step]:
    """Return the steps from the first page of a list to another."""
    return [Click("Next page")] * (page - 1)
