from __future__ import annotations

import pytest

from tests.training.rl.conftest import make_trajectory
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.pipeline import choose_demonstrations

TASKS = [
    {"template_key": "shop.open", "optimal_steps": 2},
    {"template_key": "shop.open", "optimal_steps": 2},
    {"template_key": "shop.buy", "optimal_steps": 6},
    {"template_key": "shop.open", "optimal_steps": 3},
]
SOLVED = [
    RecordedEpisode(f"shop.{n}", True, "exit", make_trajectory(n, 1.0))
    for n in range(len(TASKS))
]


def chosen(per_template: int, max_steps: int) -> list[int]:
    found = choose_demonstrations(
        TASKS, SOLVED, per_template=per_template, max_steps=max_steps
    )
    return [SOLVED.index(episode) for episode in found]


def test_every_template_is_demonstrated_equally_often():
    assert chosen(1, 12) == [0, 2]


def test_long_tasks_can_be_left_out():
    assert chosen(9, 5) == [0, 1, 3]


def test_each_task_needs_its_episode():
    with pytest.raises(ValueError, match="shorter"):
        choose_demonstrations(TASKS, SOLVED[:2], per_template=1, max_steps=9)
