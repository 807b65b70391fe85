from __future__ import annotations

import pytest

from curriculum.models import Task
from curriculum.selectors.reviewing.opinions import read_opinion, with_opinions
from rollouts.selectors.fates import list_attempts, read_fates
from tests.factories import (
    PhaseFactory,
    ReviewFactory,
    TaskFactory,
    TrajectoryFactory,
)
from webrl_site.task_pages.family import find_family
from webrl_site.task_pages.history import write_history

pytestmark = pytest.mark.django_db


def child_of(parent: Task, **fields: object) -> Task:
    return TaskFactory.create(parent=parent, origin="evolved", **fields)


def attempt(task: Task, *, solved: bool, number: int = 1, **fields: object) -> None:
    phase = PhaseFactory.create(number=number)
    TrajectoryFactory.create(
        task=task,
        phase=phase,
        status="finished",
        ended_by="exit",
        outcome=solved,
        ended_at=phase.created_at,
        **fields,
    )


def test_a_family_is_the_same_from_wherever_it_is_seen():
    root = TaskFactory.create()
    first, second = child_of(root), child_of(root)
    grandchild = child_of(first)
    for task in (root, first, second, grandchild):
        members = find_family(task).members
        assert [(one.task, one.depth) for one in members] == [
            *((root, 0), (first, 1)),
            *((grandchild, 2), (second, 1)),
        ]
        assert [one.task for one in members if one.is_here] == [task]


def test_a_member_tells_how_it_fared_and_where_it_was_first_solved():
    task = TaskFactory.create()
    attempt(task, solved=False, number=1)
    attempt(task, solved=True, number=3)
    attempt(task, solved=True, number=2)
    [member] = find_family(task).members
    assert member.fate is not None
    assert (member.fate.solved, member.fate.episodes) == (2, 3)
    assert member.fate.solved_in == 2


def test_the_reward_model_decides_where_a_task_has_no_evaluators():
    task = TaskFactory.create()
    phase = PhaseFactory.create()
    TrajectoryFactory.create(
        task=task, phase=phase, status="finished", ended_by="exit", reward=1.0
    )
    assert read_fates([task.pk])[task.pk].solved == 1


def test_a_large_family_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr("webrl_site.task_pages.family.MOST", 3)
    root = TaskFactory.create()
    for _ in range(5):
        child_of(root)
    family = find_family(root)
    assert len(family.members) == 3
    assert family.is_cut


def test_queries_do_not_grow_with_the_family(django_assert_max_num_queries):
    root = TaskFactory.create()
    for _ in range(10):
        child_of(child_of(root))
    with django_assert_max_num_queries(5):
        assert len(find_family(root).members) == 21


def test_a_reason_that_is_a_sentence_ends_with_one_full_stop():
    phase = PhaseFactory.create()
    reason = "Infeasible: The shop sells no cars."
    task = child_of(TaskFactory.create(), born_in=phase, filter_reason=reason)
    opinion = read_opinion(with_opinions(Task.objects.all(), None).get(pk=task.pk))

    history = write_history(task, opinion, [], [])

    assert history[0].text.endswith("The shop sells no cars.")
    assert ".." not in history[0].text


def test_a_history_begins_with_the_birth_and_goes_on_in_order():
    phase = PhaseFactory.create()
    task = child_of(TaskFactory.create(), born_in=phase, value_estimate=0.25)
    attempt(task, solved=True)
    opinion = read_opinion(with_opinions(Task.objects.all(), None).get(pk=task.pk))
    history = write_history(task, opinion, [], list_attempts(task.pk))
    assert history[0].text == f"Evolved in {phase}. The critic valued it at 0.25."
    assert [moment.attempt.solved for moment in history if moment.attempt] == [1]


@pytest.mark.parametrize(
    ("now", "decision", "edited", "is_edited"),
    [
        ("Buy two pens.", "edit", "Buy two pens.", True),
        ("Buy a pen.", "edit", "Buy two pens.", False),
        ("Buy a pen.", "accept", "", False),
    ],
)
def test_a_member_is_edited_where_its_instruction_is_a_persons(
    now: str, decision: str, edited: str, is_edited: bool
):
    task = TaskFactory.create(instruction=now)
    ReviewFactory.create(
        task=task,
        decision=decision,
        original_instruction="Buy a pen.",
        edited_instruction=edited,
    )
    [member] = find_family(task).members
    assert member.was_edited == is_edited
