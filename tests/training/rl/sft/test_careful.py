"""Which demonstrations are recorded, and that a stop loses none."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum.rules.setting import ConfigError
from rollouts.sites.sandbox.catalog import load_tasks
from training.rl.sft.careful import _drop_half_a_line, choose_tasks, find_unplayed
from training.rl.sft.careful_config import CarefulConfig


def make(number: int, template: str = "find", **more: Any) -> dict[str, Any]:
    task = {"key": f"shop.{number}", "template_key": template, "sites": ["shop"]}
    return {**task, "optimal_steps": 3, **more}


def test_the_first_tasks_of_each_template_are_played() -> None:
    tasks = [make(1), make(2), make(3, "buy"), make(4)]

    chosen = choose_tasks(tasks, CarefulConfig(per_template=2))

    assert [task["key"] for task in chosen] == ["shop.1", "shop.2", "shop.3"]


def test_long_tasks_and_other_sites_are_left_out() -> None:
    tasks = [make(1, optimal_steps=13), make(2, sites=["shop", "forum"]), make(3)]

    chosen = choose_tasks(tasks, CarefulConfig(sites=("shop",)))

    assert [task["key"] for task in chosen] == ["shop.3"]


def test_all_five_sites_are_shown_and_no_test_task_is() -> None:
    chosen = choose_tasks(load_tasks("train"), CarefulConfig(per_template=1))

    assert {task["sites"][0] for task in chosen} == set(CarefulConfig().sites)
    assert {task["split"] for task in chosen} == {"train"}


def test_what_was_played_is_not_played_again() -> None:
    assert find_unplayed([make(1), make(2)], {"shop.1"}) == [make(2)]


def test_half_a_line_of_a_killed_recording_is_dropped(tmp_path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text('{"key": 1}\n{"key"')

    _drop_half_a_line(path)

    assert path.read_text() == '{"key": 1}\n'


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match="per_template"):
        CarefulConfig(per_template=0)
