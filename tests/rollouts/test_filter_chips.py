"""Filters without a field of their own are said in words, and can be removed."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from rollouts.filter_chips import list_chips
from rollouts.forms import TrajectoryFilterForm
from tests.factories import RunFactory, TaskFactory

pytestmark = pytest.mark.django_db


def say(query: str) -> list[tuple[str, str]]:
    asked = QueryDict(query)
    chips = list_chips(TrajectoryFilterForm(asked).values(), asked)
    return [(chip.text, chip.query) for chip in chips]


def test_each_chip_leads_to_the_list_without_it() -> None:
    query = "purpose=evaluate&judged=yes&optimal_from=1&optimal_to=3&before=9"
    assert say(query) == [
        (
            "Judged by the evaluators",
            "?purpose=evaluate&optimal_from=1&optimal_to=3",
        ),
        ("Required steps: 1 to 3", "?purpose=evaluate&judged=yes"),
    ]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("scored=yes", "Scored by the reward model"),
        ("optimal_from=9", "Required steps: 9 or more"),
        ("words_to=8", "Words of the instruction: at most 8"),
        ("chance_from=0.1&chance_below=0.2", "P(YES): 0.1 to below 0.2"),
        ("chance_from=0.9", "P(YES): 0.9 or more"),
        ("chance_below=0.1", "P(YES): below 0.1"),
    ],
)
def test_bounds_are_said_in_words(query: str, text: str) -> None:
    assert say(query) == [(text, "?")]


def test_a_task_is_called_by_its_name() -> None:
    task = TaskFactory(key="shop.1")
    assert say(f"task={task.pk}") == [("Task shop.1", "?")]


def test_a_run_is_chosen_from_a_list_that_holds_also_an_old_one() -> None:
    old, *_, newest = [RunFactory(name=f"run-{n:03}") for n in range(102)]

    form = TrajectoryFilterForm(QueryDict(f"run={old.pk}"))

    offered = str(form["run"])
    assert offered.index(newest.name) < offered.index(old.name)
    assert "run-001" not in offered
    assert form.values() == {"run": old.pk}


def test_a_filter_with_a_field_needs_no_chip() -> None:
    assert say("purpose=evaluate&outcome=yes&text=mug") == []
