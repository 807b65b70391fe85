"""Phases of one method and one seed: collect, reward, train, evaluate.

The real collector and the real trainer, without Django. Every part writes files and is
skipped if they exist, so a stopped run continues where it was.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import (
    LIMITS,
    Job,
    digest_weights,
    play,
    read_rows,
)
from benchmarks.learning.balance import (
    count_by_learnability,
    count_evenly,
    deal_attempts,
    draw_candidates,
    draw_new_first,
    group_by_template,
)
from benchmarks.learning.critics import copy_same_critic
from benchmarks.learning.methods import Method
from benchmarks.learning.processes import start_module
from benchmarks.learning.refusing import keep_or_refuse
from benchmarks.learning.reward_model import judge
from rollouts.sites.sandbox.catalog import draw_more_tasks, load_tasks
from training.rl.sft.data import ROWS
from training.rl.training_data import (
    DEMONSTRATIONS,
    FRESH,
    REPLAY,
    RESULT,
)
from training.rl.webrl_config import WebRLConfig

Row = dict[str, Any]
Task = dict[str, Any]
# Folder below a start: its cloning, which is not a phase.
CLONING = "cloning"
HELD_OUT_SEED = 0
DRAWN_SEED = 0
# The demo's preset sets the same: the models are small.
SETTINGS: Mapping[str, Any] = {
    "micro_batch_size": 8,
    "micro_batch_tokens": 4096,
    **LIMITS,
}


@dataclasses.dataclass(frozen=True)
class Plan:
    """What all methods share.

    Attributes:
        work: Folder of all files.
        policy: Checkpoint that every method starts from. If a phase of the bench
            made it, a run continues with the next phase's tasks and seeds, and
            replays the successes of all earlier phases.
        critic: Its critic.
        phases: Phases of each run.
        tasks: Tasks of each phase.
        attempts: Attempts at each task.
        split: Tasks on which each phase is evaluated.
        settings: Settings of the trainer that all methods share.
        sites: Only tasks that need no other sites; empty means all tasks.
        held_out: Number of training tasks that no phase attempts; they are evaluated
            with the validation tasks, of which one site has only 30.
        drawn: Number of tasks drawn for each site in addition to the catalog's, so
            that a phase need not attempt the same tasks as an earlier one.
        is_balanced: Attempts are spread evenly over templates.
        is_learnable: From the second phase on, they go where they teach most.
        training_temperature: Sampling temperature of a phase's attempts, above 0.
        asks_reward_model: Train on the reward model's verdicts, as a phase does,
            instead of the evaluators'.
        processes: Processes that act at once.
        contexts: Episodes that each of them plays at once.
    """

    work: Path
    policy: Path
    critic: Path
    phases: int
    tasks: int
    attempts: int
    split: str
    settings: Mapping[str, Any]
    sites: tuple[str, ...] = ()
    held_out: int = 0
    drawn: int = 0
    is_balanced: bool = False
    is_learnable: bool = False
    training_temperature: float = 1.0
    asks_reward_model: bool = False
    processes: int = 2
    contexts: int = 6

    @property
    def limits(self) -> dict[str, int]:
        """The longest prompts and answers, both in training and in acting."""
        return {name: self.settings.get(name, LIMITS[name]) for name in LIMITS}


def run_method(plan: Plan, method: Method, seed: int) -> list[Row]:
    """All phases of a method that trains, each followed by its evaluation.

    Returns one row of each evaluated task and phase; phase 0 is the start.
    """
    policy, critic = plan.policy, plan.critic
    start = plan.policy.parent
    earlier, made = read_history(start), read_number(start)
    found = as_rows(evaluate(plan, policy), plan, method.name, seed, 0)
    phases: list[list[Row]] = []
    for phase in range(1, plan.phases + 1):
        number = made + phase
        rows = collect(plan, method, seed, number, policy, critic, phases)
        if plan.asks_reward_model:
            orm = plan.policy.with_name("orm")
            rows = judge(orm, rows, plan.limits["max_prompt_tokens"])
        if method.shuffles_rewards:
            rows = shuffle_rewards(rows, seed)
        folder = plan.work / "runs" / method.name / f"{seed}" / f"{number}"
        train(plan, method, folder, rows, earlier, policy, critic, seed)
        earlier += rows
        phases.append(rows)
        policy, critic = folder / "policy", folder / "critic"
        found += as_rows(evaluate(plan, policy), plan, method.name, seed, phase)
    return found


def read_number(start: Path) -> int:
    """The number of the phase that made the start; 0 if none did."""
    return int(start.name) if (start / RESULT).exists() else 0


def read_history(start: Path) -> list[Row]:
    """The successes before the start, if a phase of the bench made it."""
    lines = [
        json.loads(line)
        for name in (REPLAY, FRESH)
        if (start / name).exists()
        for line in (start / name).read_text().splitlines()
    ]
    return [_as_success("task", line) for line in lines if line["reward"]]


def read_demonstrations(start: Path) -> list[Row]:
    """The demonstrations that `benchmarks.learning.cloning` put into the start.

    Raises:
        FileNotFoundError: There are none.
    """
    lines = (start / CLONING / ROWS).read_text().splitlines()
    return [_as_success("demonstration", json.loads(line)) for line in lines]


def _as_success(kind: str, line: dict[str, Any]) -> Row:
    key = f"earlier {kind} {line['task_id']}"
    return {"key": key, "outcome": True, "trajectory": line}


def as_rows(
    episodes: Sequence[Row], plan: Plan, method: str, seed: int, phase: int
) -> list[Row]:
    """The table's raw data: one small row for each episode."""
    return [
        {
            "method": method,
            "seed": seed,
            "phase": phase,
            "split": plan.split,
            "key": row["key"],
            "template": row["template"],
            "attempt": row["attempt"],
            "outcome": row["outcome"],
            "ended_by": row["ended_by"],
            "steps": len(row["trajectory"]["transitions"]),
        }
        for row in episodes
    ]


def collect(
    plan: Plan,
    method: Method,
    seed: int,
    phase: int,
    policy: Path,
    critic: Path,
    phases: Sequence[Sequence[Row]] = (),
) -> list[Row]:
    """The phase's episodes: every attempt at every task, sampled.

    Args:
        plan: What all methods share.
        method: Which of them.
        seed: Of the draws.
        phase: Its number, those of the start included.
        policy: What acts.
        critic: Chooses among the candidates where the method filters tasks.
        phases: The episodes of the run's earlier phases.
    """
    drawn = draw_groups(plan, seed, phase, phases)
    if phase > 1 and method.filters_tasks and trains_critic(plan, method):
        from benchmarks.learning.filtering import ValueBand

        band = ValueBand(critic, read_first_pages(plan), **plan.limits)
        drawn = [(band.keep(group, each), each) for group, each in drawn]
    groups = [group[:each] for group, each in drawn]
    counts = [each for _, each in drawn]
    rows: list[Row] = []
    for attempts, tasks in deal_attempts(groups, counts, plan.attempts).items():
        job = Job(
            str(policy),
            tasks,
            attempts,
            plan.training_temperature,
            seed=100 * seed + phase,
            **plan.limits,
        )
        rows += act(plan, job)
    return rows


def trains_critic(plan: Plan, method: Method) -> bool:
    """Whether the critic is trained: an untrained one's heads are random."""
    config = WebRLConfig(**{**SETTINGS, **plan.settings, **method.settings})
    return config.critic_epochs > 0


def draw_groups(
    plan: Plan, seed: int, phase: int, phases: Sequence[Sequence[Row]] = ()
) -> list[tuple[list[Task], int]]:
    """Groups of candidates, and how many of each group the phase attempts.

    There are twice as many candidates, different in each phase; no task occurs twice:
    if there are fewer, all are returned. One group for all templates, or one for each
    template if the plan is balanced.
    """
    tasks = list_attempted(plan)
    random.Random(seed).shuffle(tasks)
    groups = group_by_template(tasks) if plan.is_balanced else {"": tasks}
    if plan.is_learnable and phases:
        each = count_by_learnability(groups, plan.tasks, phases[-1])
        earlier = list(itertools.chain(*phases))
        return [
            (draw_new_first(group, each[key], earlier), each[key])
            for key, group in groups.items()
        ]
    each = count_evenly(groups, plan.tasks)
    return [
        (draw_candidates(group, each[key], phase), each[key])
        for key, group in groups.items()
    ]


def list_attempted(plan: Plan) -> list[Task]:
    """The tasks that phases may attempt: the catalog's first, then those drawn."""
    tasks = shuffle_training_tasks(plan)[plan.held_out :]
    return tasks + filter_sites(plan, draw_more_tasks(plan.drawn, DRAWN_SEED))


def shuffle_training_tasks(plan: Plan) -> list[Task]:
    """The plan's training tasks in one order for all seeds, those held out first."""
    tasks = list_tasks(plan, "train")
    if plan.held_out:
        random.Random(HELD_OUT_SEED).shuffle(tasks)
    return tasks


def list_tasks(plan: Plan, split: str) -> list[Task]:
    """Tasks of a split on the plan's sites."""
    return filter_sites(plan, [t for t in load_tasks() if t["split"] == split])


def filter_sites(plan: Plan, tasks: Sequence[Task]) -> list[Task]:
    """The tasks that need no other sites than the plan's."""
    sites = set(plan.sites)
    return [task for task in tasks if not sites or set(task["sites"]) <= sites]


def list_evaluated(plan: Plan, split: str) -> list[Task]:
    """The split's tasks; for validation, followed by the held-out training tasks."""
    tasks = list_tasks(plan, split)
    if split == "validation":
        tasks += shuffle_training_tasks(plan)[: plan.held_out]
    return tasks


def shuffle_rewards(rows: Sequence[Row], seed: int) -> list[Row]:
    """The same episodes with the same rewards, shuffled among them."""
    outcomes = [row["outcome"] for row in rows]
    random.Random(seed).shuffle(outcomes)
    return [
        {**row, "outcome": outcome} for row, outcome in zip(rows, outcomes, strict=True)
    ]


def train(
    plan: Plan,
    method: Method,
    folder: Path,
    fresh: Sequence[Row],
    earlier: Sequence[Row],
    policy: Path,
    critic: Path,
    seed: int,
) -> None:
    """One phase's training in a process of its own; a finished one is not repeated.

    Raises:
        RuntimeError: It failed; its output is in the folder.
        ValueError: The folder holds another training.
    """
    config = {**SETTINGS, **plan.settings, **method.settings}
    solved = [row for row in earlier if row["outcome"]]
    files = {
        FRESH: as_trajectories(fresh, first=0),
        REPLAY: as_trajectories(solved, first=len(fresh)),
    }
    if config.get("use_demonstrations"):
        shown = read_demonstrations(plan.policy.parent)
        first = len(fresh) + len(solved)
        files[DEMONSTRATIONS] = as_trajectories(shown, first=first)
    spec = {"config": config, "seed": seed, "policy": str(policy)}
    spec |= {"first": str(plan.policy), "critic": str(critic)}
    keep_or_refuse(folder, spec, files)
    if (folder / RESULT).exists():
        return
    copy_same_critic(plan.work / "runs", folder)
    log = folder / "output.log"
    training = start_module(
        "training.rl.phase.train", [str(folder)], log=log, threads=plan.processes
    )
    if training.wait():
        raise RuntimeError(f"Training failed; see {log}.")


def as_trajectories(rows: Sequence[Row], *, first: int) -> list[dict[str, Any]]:
    """The trainer's lines: ids of their own, and the outcome as the reward."""
    keys = {key: number for number, key in enumerate(sorted({r["key"] for r in rows}))}
    lines = []
    for number, row in enumerate(rows, start=first):
        line = {**row["trajectory"], "reward": float(row["outcome"])}
        lines.append({**line, "trajectory_id": number, "task_id": keys[row["key"]]})
    step = 0
    for line in lines:
        steps = []
        for transition in line["transitions"]:
            step += 1
            steps.append({**transition, "step_id": step})
        line["transitions"] = steps
    return lines


def evaluate(plan: Plan, policy: Path) -> list[Row]:
    """Greedy episodes of the plan's split."""
    tasks = list_evaluated(plan, plan.split)
    return act(plan, Job(str(policy), tasks, 1, 0.0, **plan.limits))


def act(plan: Plan, job: Job) -> list[Row]:
    """Play a job, unless it has been played."""
    folder = episodes_folder(plan, job)
    play(folder, job, processes=plan.processes, contexts=plan.contexts)
    return read_rows(folder)


def episodes_folder(plan: Plan, job: Job) -> Path:
    """The folder of a job, named by the digest of its weights and its other fields."""
    fields = dataclasses.asdict(job) | {"policy": digest_weights(Path(job.policy))}
    # The usual limits are left out: an earlier version had no others.
    kept = {name: value for name, value in fields.items() if value != LIMITS.get(name)}
    text = json.dumps(kept)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return plan.work / "episodes" / digest


def read_first_pages(plan: Plan) -> dict[str, str]:
    """The first page that an episode saw, by the task's start address."""
    pages: dict[str, str] = {}
    for path in sorted((plan.work / "episodes").glob("*/job.json")):
        job = Job(**json.loads(path.read_text()))
        addresses = {task["key"]: task["start_url"] for task in job.tasks}
        for row in read_rows(path.parent):
            steps = row["trajectory"]["transitions"]
            if steps:
                pages.setdefault(addresses[row["key"]], steps[0]["observation"])
    return pages
