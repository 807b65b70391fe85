from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

from benchmarks.learning import acting, loop
from benchmarks.learning.acting import Job
from benchmarks.learning.loop import (
    Plan,
    as_trajectories,
    draw_groups,
    episodes_folder,
    list_evaluated,
    read_demonstrations,
    read_history,
    read_number,
    run_method,
    shuffle_rewards,
)
from benchmarks.learning.methods import BY_NAME
from benchmarks.learning.without_training import pick_best
from training.rl.training_data import RESULT, read_trajectories, write_lines

PLAN = Plan(Path("w"), Path("p"), Path("c"), 2, 10, 2, "validation", {})
TASKS = [{"key": "a"}, {"key": "b"}]


def draw_tasks(plan: Plan, seed: int, phase: int) -> list[dict[str, Any]]:
    groups = draw_groups(plan, seed, phase)
    return list(itertools.chain(*(group for group, _ in groups)))


def row(key: str, attempt: int = 0, outcome: bool = True) -> dict[str, Any]:
    step = {
        "step_id": 9,
        "history": [],
        "errors": [],
        "observation": "<p>",
        "output": "exit()",
    }
    trajectory = {
        "trajectory_id": 0,
        "task_id": 0,
        "instruction": key,
        "transitions": [step, step],
        "final_observation": "",
        "reward": 0.0,
    }
    return {
        "key": key,
        "attempt": attempt,
        "outcome": outcome,
        "trajectory": trajectory,
    }


def test_phases_have_tasks_of_their_own():
    first = [task["key"] for task in draw_tasks(PLAN, 0, 1)[: PLAN.tasks]]
    second = [task["key"] for task in draw_tasks(PLAN, 0, 2)[: PLAN.tasks]]
    assert not set(first) & set(second)


def test_a_learnable_plan_attempts_what_sometimes_succeeds_more_often():
    plan = dataclasses.replace(PLAN, is_balanced=True, is_learnable=True, tasks=4000)
    groups = [group for group, _ in draw_groups(plan, 0, 1)]
    sometimes, never = (group[0]["template_key"] for group in groups[:2])
    attempted = [
        {"key": "x", "template": template, "outcome": template == sometimes and is_even}
        for template in (sometimes, never)
        for is_even in (True, False) * 5
    ]
    counts = [each for _, each in draw_groups(plan, 0, 2, [attempted])]
    assert counts[0] > 3 * counts[1]


def test_all_methods_draw_the_same_tasks_of_training():
    assert draw_tasks(PLAN, 3, 1) == draw_tasks(PLAN, 3, 1)
    assert {task["split"] for task in draw_tasks(PLAN, 3, 1)} == {"train"}


def test_a_plan_of_one_site_draws_and_evaluates_tasks_on_that_site_alone():
    plan = dataclasses.replace(PLAN, sites=("shop",))
    tasks = draw_tasks(plan, 0, 1) + list_evaluated(plan, "validation")
    assert {tuple(task["sites"]) for task in tasks} == {("shop",)}


def test_training_tasks_held_out_are_evaluated_and_attempted_in_no_phase():
    plan = dataclasses.replace(PLAN, sites=("shop",), held_out=40, tasks=300)
    evaluated = {task["key"] for task in list_evaluated(plan, "validation")}
    attempted = {task["key"] for seed in (0, 1) for task in draw_tasks(plan, seed, 1)}
    assert not evaluated & attempted
    assert sum(".train." in key for key in evaluated) == 40


def test_tasks_beyond_the_catalog_let_phases_attempt_each_task_once():
    plan = dataclasses.replace(PLAN, sites=("shop",), held_out=100, tasks=600)
    plan = dataclasses.replace(plan, drawn=1600)
    phases = [{t["intent"] for t in draw_tasks(plan, 0, p)[:600]} for p in (1, 2, 3)]
    assert len(set.union(*phases)) == 1800


def test_tasks_beyond_the_catalog_are_not_evaluated():
    plan = dataclasses.replace(PLAN, sites=("shop",), held_out=100)
    drawn = dataclasses.replace(plan, drawn=1600)
    assert list_evaluated(drawn, "validation") == list_evaluated(plan, "validation")
    attempted = {task["intent"] for task in draw_tasks(drawn, 0, 1)}
    assert not attempted & {t["intent"] for t in list_evaluated(plan, "validation")}


def test_the_test_split_is_evaluated_without_training_tasks():
    plan = dataclasses.replace(PLAN, held_out=40)
    assert {task["split"] for task in list_evaluated(plan, "test")} == {"test"}


def test_shuffled_rewards_are_as_many():
    rows = [row("a", number, outcome=number < 5) for number in range(20)]
    shuffled = shuffle_rewards(rows, 0)
    assert sum(one["outcome"] for one in shuffled) == 5
    assert [one["outcome"] for one in shuffled] != [one["outcome"] for one in rows]
    assert [one["attempt"] for one in shuffled] == list(range(20))


def test_the_trainer_reads_what_is_written_for_it(tmp_path):
    rows = [row("a", 0), row("a", 1, outcome=False), row("b")]
    write_lines(tmp_path / "fresh.jsonl", as_trajectories(rows, first=5))
    found = read_trajectories(tmp_path / "fresh.jsonl")
    assert [t.trajectory_id for t in found] == [5, 6, 7]
    assert [t.task_id for t in found] == [0, 0, 1]
    assert [t.reward for t in found] == [1.0, 0.0, 1.0]
    assert [s.step_id for t in found for s in t.transitions] == [1, 2, 3, 4, 5, 6]


def test_a_start_that_a_phase_made_brings_the_successes_so_far(tmp_path):
    fresh = as_trajectories([row("a"), row("b", outcome=False)], first=0)
    write_lines(tmp_path / "fresh.jsonl", fresh)
    write_lines(tmp_path / "replay.jsonl", as_trajectories([row("c")], first=2))
    history = read_history(tmp_path)
    assert [one["trajectory"]["instruction"] for one in history] == ["c", "a"]
    assert len(as_trajectories(history, first=0)) == 2


def test_a_start_of_its_own_has_no_history(tmp_path):
    assert read_history(tmp_path) == []
    assert read_number(tmp_path) == 0


def test_demonstrations_of_a_start_are_successes_that_can_be_replayed(tmp_path):
    shown = as_trajectories([row("a"), row("b")], first=0)
    (tmp_path / "cloning").mkdir()
    write_lines(tmp_path / "cloning" / "demonstrations.jsonl", shown)
    found = read_demonstrations(tmp_path)
    assert [one["trajectory"]["instruction"] for one in found] == ["a", "b"]
    assert all(one["outcome"] for one in found)
    assert len({one["key"] for one in found}) == 2


def test_a_phase_learns_from_demonstrations_beside_its_start(tmp_path, monkeypatch):
    shown = as_trajectories([row("a")], first=0)
    (tmp_path / "cloning").mkdir()
    write_lines(tmp_path / "cloning" / "demonstrations.jsonl", shown)
    monkeypatch.setattr(loop, "start_module", lambda *_, **__: Trained())
    settings = {"use_demonstrations": True}
    plan = dataclasses.replace(
        PLAN, work=tmp_path, policy=tmp_path / "policy", settings=settings
    )
    here = tmp_path / "runs/m/0/1"

    weights = (tmp_path / "policy", tmp_path / "critic")
    loop.train(plan, BY_NAME["filtered_bc"], here, [row("b")], [], *weights, 0)

    (found,) = read_trajectories(here / "demonstrations.jsonl")
    assert (found.instruction, found.reward, found.trajectory_id) == ("a", 1.0, 1)


def test_a_run_from_a_phase_goes_on_with_the_next_ones_tasks(tmp_path, monkeypatch):
    made = tmp_path / "2"
    made.mkdir()
    (made / RESULT).write_text("{}")
    played: list[Job] = []
    monkeypatch.setattr(loop, "act", lambda plan, job: played.append(job) or [])
    monkeypatch.setattr(loop, "train", lambda plan, method, folder, *_: None)
    method = dataclasses.replace(BY_NAME["filtered_bc"], filters_tasks=False)
    plan = dataclasses.replace(PLAN, work=tmp_path, policy=made / "policy", phases=1)

    run_method(plan, method, 1)

    start, collected, after = played
    assert [start.policy, collected.seed] == [str(made / "policy"), 103]
    assert collected.tasks == draw_tasks(plan, 1, 3)[:10]
    assert after.policy == str(tmp_path / "runs" / "filtered_bc" / "1" / "3" / "policy")


class Trained:
    """A training that has ended well."""

    def wait(self):
        return 0


def test_processes_share_a_job_without_overlap():
    job = Job("p", TASKS, 3, 1.0)
    parts = [acting.share(job, set(), number, 2) for number in (0, 1)]
    assert sorted(parts[0] + parts[1]) == [(i, a) for i in (0, 1) for a in range(3)]


def test_what_is_there_is_not_played_again():
    job = Job("p", TASKS, 2, 1.0)
    assert acting.share(job, {("a", 0), ("b", 1)}, 0, 1) == [(1, 0), (0, 1)]


def test_episodes_are_read_once_each(tmp_path):
    lines = [json.dumps(row("a")), json.dumps(row("a")), json.dumps(row("a", 1))]
    (tmp_path / "0.episodes.jsonl").write_text("\n".join(lines) + "\n")
    assert [one["attempt"] for one in acting.read_rows(tmp_path)] == [0, 1]


def test_another_temperature_is_another_job():
    job = Job("p", TASKS, 2, 1.0)
    other = dataclasses.replace(job, temperature=0.5)
    assert episodes_folder(PLAN, job) != episodes_folder(PLAN, other)


def test_equal_weights_in_two_folders_are_one_job(tmp_path):
    first, second, other = (tmp_path / name for name in ("first", "second", "other"))
    for folder, weights in ((first, b"same"), (second, b"same"), (other, b"new")):
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(weights)
    jobs = [Job(str(policy), TASKS, 2, 1.0) for policy in (first, second, other)]
    names = [episodes_folder(PLAN, job) for job in jobs]
    assert names[0] == names[1] != names[2]


def test_the_attempt_with_the_highest_score_is_picked():
    rows = [row("a", 0), row("a", 1), row("b", 0)]
    picked = pick_best(rows, [0.2, 0.9, 0.1])
    assert [(one["key"], one["attempt"]) for one in picked] == [("a", 1), ("b", 0)]
