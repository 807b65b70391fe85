"""Which accepted tasks stand beside one that is being decided."""

from __future__ import annotations

import pytest

from curriculum.selectors.pages import list_similar_tasks
from tests.factories import EvolvedTaskFactory, TaskFactory

pytestmark = pytest.mark.django_db


def rank(instruction: str, *others: str) -> list[str]:
    for text in others:
        TaskFactory(instruction=text, template_key="lamp", status="accepted")
    task = EvolvedTaskFactory(instruction=instruction, template_key="lamp")
    return [one.task.instruction for one in list_similar_tasks(task)]


def test_who_asks_about_the_same_comes_first():
    nora, tina = "Where does Nora live?", "In which city does Tina live?"
    assert rank("Where does Tina live?", nora, tina) == [tina, nora]


def test_what_is_quoted_is_a_name():
    other = 'Show the Toys category sorted by "Newest"'
    same = 'List the products of Kitchen, sorted by "Lowest price"'
    asked = 'Show the Kitchen category sorted by "Lowest price"'
    assert rank(asked, other, same) == [same, other]


def test_what_shares_no_word_is_not_similar():
    assert rank("Where does Tina live?", "Buy 3 lamps") == []


def test_the_task_itself_is_left_out():
    task = TaskFactory(instruction="Buy a lamp", template_key="lamp", status="accepted")
    assert list_similar_tasks(task) == []


def test_the_newer_of_two_that_share_as_much_comes_first():
    assert rank("Buy a lamp", "Buy a desk", "Buy a rug") == ["Buy a rug", "Buy a desk"]
