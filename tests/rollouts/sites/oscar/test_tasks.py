from __future__ import annotations

import itertools
from random import Random

import pytest

from curriculum.models import Task
from rollouts.sites.kit.drawing import identity_of
from rollouts.sites.kit.plans import Search, Type
from rollouts.sites.kit.task_templates import BLANK, NOT_AVAILABLE, Infeasible
from rollouts.sites.oscar import data
from rollouts.sites.oscar.changes import new_changes
from rollouts.sites.oscar.tasks import SIZES, TEMPLATES, load_tasks, plan_of

each_template = pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)


def tasks_of(template):
    return [task for task in load_tasks() if task["template_key"] == template.key]


def test_there_are_enough_tasks_in_three_splits_of_every_kind():
    splits = {split: len(load_tasks(split)) for split in SIZES}
    kinds = {TEMPLATES[task["template_key"]].kind for task in load_tasks("test")}
    assert len(load_tasks()) >= 60
    assert min(splits.values()) >= 15
    assert kinds == {"find", "navigate", "change", "impossible"}


def test_no_two_tasks_fill_a_template_alike():
    tasks = load_tasks()
    assert len({identity_of(task) for task in tasks}) == len(tasks)
    assert len({task["intent"] for task in tasks}) == len(tasks)


def test_held_out_templates_occur_in_the_test_split_alone():
    for task in load_tasks():
        held_out = TEMPLATES[task["template_key"]].is_held_out
        assert not held_out or task["split"] == "test"


def test_every_split_is_known_to_the_database():
    assert set(SIZES) == set(Task.Split.values)


@each_template
def test_a_template_has_several_wordings_of_the_same_blanks(template):
    blanks = {frozenset(BLANK.findall(phrasing)) for phrasing in template.phrasings}
    assert len(set(template.phrasings)) == 3
    assert blanks == {frozenset(template.draw(Random(0)))}


@each_template
def test_whatever_is_drawn_can_be_worked_out(template):
    rng = Random(3)
    for _ in range(50):
        assert template.solve(template.draw(rng)).plan


@each_template
def test_leaving_at_once_does_not_solve_what_is_possible(template):
    for rules in (task["eval"] for task in tasks_of(template)):
        if template.kind == "find":
            answer = rules["reference_answers"]["exact_match"]
            assert answer not in ("", NOT_AVAILABLE)
        if template.kind == "navigate":
            assert rules["reference_url"].removeprefix("__OSCAR__") not in ("/", "")
        if template.kind == "change":
            for part in rules["reference_state"]:
                assert part["equals"] != new_changes()[part["path"]]


@each_template
def test_what_is_typed_stands_in_the_instruction(template):
    for task in tasks_of(template):
        typed = [s.text for s in plan_of(task) if isinstance(s, Type | Search)]
        assert [text for text in typed if text not in task["intent"]] == []


@pytest.mark.parametrize(
    ("template", "values", "reason"),
    [
        ("find_price", {"book": "Moon"}, 'no book called "Moon"'),
        ("order_status", {"order": "7"}, "no order 7"),
        ("missing_book", {"book": next(iter(data.BOOKS))}, "has this book"),
        ("add_to_basket", {"book": data.SOLD_OUT[0]}, "sold out"),
        ("buy_sold_out", {"book": data.IN_STOCK[0]}, "can be bought"),
        ("stock_alert", {"book": data.IN_STOCK[0]}, "can be bought"),
        ("new_wish_list", {"name": "Gifts"}, "such a list already"),
        ("change_name", {"name": data.LAST_NAME}, "the name already"),
        (
            "add_to_wish_list",
            {"book": data.WISHES["Gifts"][0], "list": "Gifts"},
            "on the list already",
        ),
    ],
)
def test_names_that_do_not_fit_are_infeasible(template, values, reason):
    with pytest.raises(Infeasible, match=reason):
        TEMPLATES[f"oscar.{template}"].solve(values)


def test_no_address_of_a_book_is_the_beginning_of_another():
    paths = sorted(book.path for book in data.BOOKS.values())
    assert not any(b.startswith(a) for a, b in itertools.pairwise(paths))


def test_prices_are_written_as_the_shop_writes_them():
    assert data.format_price(1299) == "£12.99"
    assert data.format_price(705) == "£7.05"
