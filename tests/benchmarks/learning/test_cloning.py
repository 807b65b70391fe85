"""A start for the bench that has seen a few demonstrations."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.learning.cloning import as_lines, choose_tasks
from benchmarks.learning.command import Choices
from benchmarks.learning.loop import list_evaluated
from training.rl.starter.episodes import RecordedEpisode
from training.rl.types import Trajectory

PLAN = Choices(sites="shop", held_out=100).plan()


def episode(key: str, **changes: Any) -> RecordedEpisode:
    trajectory = Trajectory(0, 0, f"instruction of {key}", (), "<p>", 1.0)
    return RecordedEpisode(key, True, "exit", trajectory, **changes)


def test_no_evaluated_task_is_demonstrated():
    evaluated = {task["key"] for task in list_evaluated(PLAN, "validation")}
    evaluated |= {task["key"] for task in list_evaluated(PLAN, "test")}
    chosen = {task["key"] for task in choose_tasks(PLAN, 100)}
    assert chosen
    assert not chosen & evaluated


def test_each_template_is_demonstrated_so_often_at_most():
    counts = Counter(task["template_key"] for task in choose_tasks(PLAN, 3))
    assert max(counts.values()) == 3


def test_the_order_of_demonstrations_is_that_of_their_names():
    lines = as_lines([episode("shop.b"), episode("shop.a")])
    said = [line["instruction"] for line in lines]
    assert said == ["instruction of shop.a", "instruction of shop.b"]
