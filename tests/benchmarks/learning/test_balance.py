"""Attempts that are spread evenly over templates."""

from __future__ import annotations

from typing import Any

from benchmarks.learning.balance import ATTEMPT_LIMIT, deal_attempts, draw_evenly


def make_tasks(template: str, count: int) -> list[dict[str, Any]]:
    return [
        {"key": f"{template}.{number}", "template_key": template}
        for number in range(count)
    ]


TASKS = [*make_tasks("many", 50), *make_tasks("few", 3)]


def test_each_template_has_candidates_of_its_own():
    many, few = draw_evenly(TASKS, 10, 1)
    assert {task["template_key"] for task in many} == {"many"}
    assert len(many) == 10
    assert [task["key"] for task in few] == ["few.0", "few.1", "few.2"]


def test_the_next_phase_attempts_other_tasks_of_a_template_that_has_them():
    first, _ = draw_evenly(TASKS, 10, 1)
    second, _ = draw_evenly(TASKS, 10, 2)
    assert not {t["key"] for t in first[:5]} & {t["key"] for t in second[:5]}


def test_tasks_of_a_rare_template_are_attempted_more_often():
    groups = [make_tasks("many", 5), make_tasks("few", 2)]
    assert deal_attempts(groups, 5, 2) == {2: groups[0], 5: groups[1]}


def test_no_task_is_attempted_without_end():
    groups = [make_tasks("many", 20), make_tasks("one", 1)]
    assert deal_attempts(groups, 20, 2) == {2: groups[0], ATTEMPT_LIMIT: groups[1]}


def test_a_single_group_is_attempted_as_often_as_the_plan_says():
    group = make_tasks("many", 7)
    assert deal_attempts([group], 7, 4) == {4: group}
