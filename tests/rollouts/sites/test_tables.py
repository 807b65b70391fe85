"""Templates written as rows of a table, and the blanks that they share."""

from __future__ import annotations

from random import Random

import pytest

from rollouts.sites.kit.blanks import draw_one, draw_page, draw_query
from rollouts.sites.kit.goals import open_area, open_item
from rollouts.sites.kit.plans import Click, Exit
from rollouts.sites.kit.sites import SHOP
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Infeasible, Values, cannot

AREAS = {"Cart": "cart"}
draw_cart = draw_one("area", AREAS)


def give_up(values: Values) -> Goal:
    return cannot(Click("Cart"))


def test_rows_keep_their_order_and_share_site_and_kind():
    first, second = table(
        SHOP,
        "navigate",
        row("shop.a", draw_cart, open_area(SHOP, AREAS), "Go.", "Go there."),
        row("shop.b", draw_cart, give_up, "Fly.", kind="impossible", is_held_out=True),
    )

    assert (first.key, first.site, first.kind) == ("shop.a", SHOP, "navigate")
    assert first.phrasings == ("Go.", "Go there.")
    assert (second.kind, second.is_held_out) == ("impossible", True)


def test_blanks_are_drawn_in_the_order_in_which_they_are_named():
    draw = draw_one("second", "bc", after=draw_one("first", "a"))

    assert list(draw(Random(1))) == ["first", "second"]


def test_a_page_is_never_the_first():
    drawn = {draw_page(draw_cart)(Random(seed))["page"] for seed in range(50)}

    assert drawn == {"2", "3", "4"}


def test_a_query_has_a_word_of_each_list():
    draw = draw_query(lambda rng: (["red"], ["mug"]))

    assert draw(Random(1)) == {"query": "red mug"}


def test_an_area_that_the_site_lacks_is_infeasible():
    with pytest.raises(Infeasible, match="no page"):
        open_area(SHOP, AREAS)({"area": "Moon"})


def test_the_page_of_an_item_has_its_fields_in_the_address():
    solve = open_item(
        SHOP, "/{0[0]}", lambda values: values["area"], lambda area: [Click(area)]
    )

    goal = solve({"area": "Cart"})

    assert goal.evaluation["reference_url"] == f"{SHOP.placeholder}/C"
    assert goal.plan == (Click("Cart"), Exit())
