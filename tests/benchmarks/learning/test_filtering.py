from __future__ import annotations

import dataclasses

import pytest

from benchmarks.learning.command import parse_choices
from benchmarks.learning.filtering import VALUE_HIGH, VALUE_LOW, distance, keep_nearest
from benchmarks.learning.loop import trains_critic
from benchmarks.learning.methods import BY_NAME

TASKS = [{"key": key} for key in "abcd"]


def keep(values, wanted):
    return "".join(task["key"] for task in keep_nearest(TASKS, values, wanted))


def test_the_first_tasks_in_the_band_are_kept_in_their_order():
    assert keep([0.9, 0.5, 0.1, 0.3], 2) == "bc"


def test_where_the_band_holds_too_few_the_nearest_outside_join():
    assert keep([0.99, 0.5, 0.8, 0.0], 3) == "bcd"


def test_more_tasks_than_there_are_cannot_be_kept():
    assert keep([0.5, 0.5, 0.5, 0.5], 9) == "abcd"


@pytest.mark.parametrize("value", [VALUE_LOW, 0.4, VALUE_HIGH])
def test_both_ends_belong_to_the_band(value):
    assert distance(value) == 0


@pytest.mark.parametrize(("epochs", "trains"), [(0, False), (1, True)])
def test_a_critic_without_a_pass_is_not_asked_which_tasks_to_keep(epochs, trains):
    plan = parse_choices([f"critic_epochs={epochs}"]).plan()
    assert trains_critic(plan, BY_NAME["filtered_bc"]) == trains


def test_a_method_may_leave_the_critic_untrained_by_itself():
    plan = parse_choices([]).plan()
    method = dataclasses.replace(BY_NAME["filtered_bc"], settings={"critic_epochs": 0})
    assert not trains_critic(plan, method)
