from __future__ import annotations

import contextlib
from random import Random
from typing import Any

import pytest

from rollouts.browser.evaluators import Ending, evaluate
from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.state import new_changes
from rollouts.sites.backoffice.tasks import BACKOFFICE_TEMPLATES
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.task_templates import Infeasible, Template, Values
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from tests.rollouts.browser.evaluators.helpers import FakeReader

TASKS = [task for task in load_tasks() if task["sites"] == [BACKOFFICE.key]]
HOME = f"{BACKOFFICE.placeholder}/"
BY_STATUS = {order.status: str(order.number) for order in data.ORDERS.values()}

each_template = pytest.mark.parametrize(
    "template", BACKOFFICE_TEMPLATES, ids=[t.key for t in BACKOFFICE_TEMPLATES]
)


def solve(key: str, **values: str) -> None:
    TEMPLATES[f"backoffice.{key}"].solve(values)


async def outcome_of(task: dict[str, Any], answer: str) -> bool | None:
    """What comes of ending at once on the start page."""
    state = {BACKOFFICE.key: new_changes()}
    ending = Ending(answer, HOME, state, state)
    return (await evaluate(task, ending, FakeReader({}))).outcome


@pytest.mark.parametrize("answer", ["", "N/A"])
async def test_doing_nothing_solves_no_possible_task(answer: str) -> None:
    possible = [t for t in TASKS if TEMPLATES[t["template_key"]].is_possible]
    solved = [t["key"] for t in possible if await outcome_of(t, answer)]
    assert solved == []


def test_an_answer_does_not_stand_in_its_instruction() -> None:
    for task in TASKS:
        answers = task["eval"]["reference_answers"] or {}
        answer = answers.get("exact_match", "N/A")
        words = task["intent"].replace("?", " ").replace(".", " ").split()
        assert answer not in words


def test_a_fifth_of_the_templates_in_the_test_split_is_held_out() -> None:
    keys = {task["template_key"] for task in TASKS if task["split"] == "test"}
    held = [TEMPLATES[key] for key in keys if TEMPLATES[key].is_held_out]
    assert len(held) / len(keys) >= 0.2
    assert {t.kind for t in held} == {"find", "navigate", "change", "impossible"}


@each_template
def test_what_is_drawn_can_be_solved(template: Template) -> None:
    rng = Random(3)
    for _ in range(40):
        assert template.solve(template.draw(rng)).plan


@each_template
def test_blanks_that_do_not_fit_are_infeasible_and_nothing_worse(
    template: Template,
) -> None:
    """The generator joins values of several tasks."""
    rng = Random(4)
    others = [other.draw(rng) for other in BACKOFFICE_TEMPLATES]
    for values in [*mixed(template.draw(rng), others), *odd(template.draw(rng))]:
        with contextlib.suppress(Infeasible):
            template.solve(values)


def mixed(values: Values, others: list[Values]) -> list[Values]:
    shared = [{n: v for n, v in other.items() if n in values} for other in others]
    return [{**values, **part} for part in shared if part]


def odd(values: Values) -> list[Values]:
    texts = ("", "x", "0", "-1", "99999999", "²", "٣", "2024-02-30")
    return [{**values, name: text} for name in values for text in texts]


def test_goals_that_the_office_forbids_are_infeasible() -> None:
    hidden = next(p.name for p in data.PRODUCTS.values() if not p.enabled)
    with pytest.raises(Infeasible, match="not Pending"):
        solve("invoice_order", order=BY_STATUS["Complete"])
    with pytest.raises(Infeasible, match="no order 7"):
        solve("open_order", order="7")
    with pytest.raises(Infeasible, match="disabled already"):
        solve("disable_product", product=hidden)
    with pytest.raises(Infeasible, match='no cart rule called "Moon Sale"'):
        solve("delete_rule", rule="Moon Sale")


def test_impossible_tasks_that_are_possible_are_infeasible() -> None:
    product = next(iter(data.PRODUCTS.values())).name
    with pytest.raises(Infeasible, match="exists"):
        solve("missing_product", product=product)
    with pytest.raises(Infeasible, match="not Cancelled"):
        solve("invoice_cancelled_order", order=BY_STATUS["Pending"])
