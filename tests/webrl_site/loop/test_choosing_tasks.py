"""Seeds and evolved tasks of a phase, as the run's settings mix them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from curriculum.models import Phase, Run, Task
from tests.factories import (
    SMALL,
    EvolvedTaskFactory,
    ExperienceFactory,
    PhaseFactory,
    RunFactory,
    StepFactory,
    TaskFactory,
    TrainingRunFactory,
    TrajectoryFactory,
)
from training.selectors.loop import map_first_values
from webrl_site.loop.phase_loop import choose_tasks

pytestmark = pytest.mark.django_db


def make_run(**curriculum: Any) -> Run:
    config = copy.deepcopy(SMALL.to_json())
    config["curriculum"] |= {"tasks_per_phase": 4, **curriculum}
    return RunFactory(config=config)


def choose(run: Run, number: int) -> list[Task]:
    phase = PhaseFactory(run=run, number=number, status=Phase.Status.PLANNED)
    choose_tasks(phase)
    return list(phase.tasks.all())


def test_evolved_tasks_leave_room_for_seeds() -> None:
    run = make_run(evolved_share=0.5)
    first = PhaseFactory(run=run, number=1, status="closed")
    TaskFactory.create_batch(6, split="train")
    EvolvedTaskFactory.create_batch(6, born_in=first, status="accepted")

    chosen = choose(run, 2)

    assert sorted(task.origin for task in chosen) == ["evolved"] * 2 + ["seed"] * 2


def test_the_newest_value_of_a_tasks_first_page_counts() -> None:
    run, task = make_run(), TaskFactory(split="train")
    for number, value in ((1, 0.2), (2, 0.9)):
        phase = PhaseFactory(run=run, number=number, status="closed")
        row = TrajectoryFactory(phase=phase, task=task)
        training = TrainingRunFactory(phase=phase)
        for index, seen in ((0, value), (1, 0.5)):
            step = StepFactory(trajectory=row, index=index)
            ExperienceFactory(training_run=training, step=step, value=seen)

    third = PhaseFactory(run=run, number=3, status="planned")

    assert map_first_values(third) == {task.pk: 0.9}


def test_templates_take_turns_where_the_run_asks_for_it() -> None:
    TaskFactory.create_batch(9, split="train", template_key="shop.buy")
    rare = TaskFactory.create_batch(2, split="train", template_key="shop.find")

    chosen = choose(make_run(seed_order="even"), 1)

    assert {task.pk for task in chosen} > {task.pk for task in rare}


def test_solved_seeds_come_last_within_their_template() -> None:
    run = make_run(seed_order="even")
    first = PhaseFactory(run=run, number=1, status="closed")
    tasks = TaskFactory.create_batch(3, split="train", template_key="shop.buy")
    TaskFactory.create_batch(3, split="train", template_key="shop.find")
    TrajectoryFactory(phase=first, task=tasks[0], outcome=True, reward=1.0)

    assert tasks[0] not in choose(run, 2)


def test_templates_that_succeed_at_times_have_most_tasks() -> None:
    run = make_run(seed_order="learnable", tasks_per_phase=8)
    first = PhaseFactory(run=run, number=1, status="closed")
    for key, rewards in (("often", [1.0] * 6), ("at times", [1.0, 0.0] * 3)):
        tasks = TaskFactory.create_batch(12, split="train", template_key=key)
        for repeat, reward in enumerate(rewards):
            TrajectoryFactory(
                phase=first, task=tasks[0], repeat=repeat, reward=reward, outcome=None
            )

    keys = [task.template_key for task in choose(run, 2)]

    assert (keys.count("at times"), keys.count("often")) == (6, 2)


def test_a_first_phase_by_learnability_has_as_many_tasks_of_each_template() -> None:
    for key in ("shop.buy", "shop.find"):
        TaskFactory.create_batch(9, split="train", template_key=key)

    keys = [task.template_key for task in choose(make_run(seed_order="learnable"), 1)]

    assert (keys.count("shop.buy"), keys.count("shop.find")) == (2, 2)


def test_seeds_in_the_band_are_drawn_by_the_runs_seed() -> None:
    TaskFactory.create_batch(9, split="train")
    one, other = make_run(seed_order="band"), make_run(seed_order="band")

    first = choose(one, 1)

    assert len(first) == 4
    assert {task.pk for task in first} == {task.pk for task in choose(other, 1)}
