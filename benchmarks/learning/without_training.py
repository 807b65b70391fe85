"""The controls: each number is tuned on validation, then used once on the split."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from benchmarks.learning.acting import Job
from benchmarks.learning.loop import (
    Plan,
    Row,
    act,
    as_rows,
    evaluate,
    list_evaluated,
)
from benchmarks.learning.methods import Method
from benchmarks.learning.reward_model import score

EXIT_BIASES = (-3.0, -2.0, -1.0, 1.0)
TEMPERATURES = (0.0, 0.3, 0.6)
ATTEMPTS = 8


def run_control(plan: Plan, method: Method, seed: int) -> list[Row]:
    """The start as phase 0 and the control at its best number as phase 1."""
    controls = {
        "exit_bias": tune_exit_bias,
        "temperature": tune_temperature,
        "best_of_n": pick_by_reward_model,
    }
    start = as_rows(evaluate(plan, plan.policy), plan, method.name, seed, 0)
    found = controls[method.name](plan, seed)
    return start + as_rows(found, plan, method.name, seed, 1)


def tune_exit_bias(plan: Plan, seed: int) -> list[Row]:
    """Greedy, with the bias on the exit's logit that is best on validation."""
    return best_job(plan, [_job(plan, seed, exit_bias=nats) for nats in EXIT_BIASES])


def tune_temperature(plan: Plan, seed: int) -> list[Row]:
    """The temperature that is best on validation."""
    return best_job(plan, [_job(plan, seed, temperature=t) for t in TEMPERATURES])


def best_job(plan: Plan, jobs: Iterable[Job]) -> list[Row]:
    """Episodes on the plan's split by the job that solves most validation tasks."""
    chosen = max(jobs, key=lambda job: count_solved(act(plan, job)))
    return act(
        plan, dataclasses.replace(chosen, tasks=list_evaluated(plan, plan.split))
    )


def pick_by_reward_model(plan: Plan, seed: int) -> list[Row]:
    """The best of ATTEMPTS sampled attempts at each task by the reward model.

    This costs ATTEMPTS times the interaction at test time.
    """
    job = dataclasses.replace(
        _job(plan, seed, temperature=1.0),
        tasks=list_evaluated(plan, plan.split),
        attempts=ATTEMPTS,
    )
    rows = act(plan, job)
    orm, limit = plan.policy.with_name("orm"), plan.limits["max_prompt_tokens"]
    return pick_best(rows, score(orm, rows, limit))


def pick_best(rows: Sequence[Row], scores: Sequence[float]) -> list[Row]:
    """Each task's attempt with the highest score; the earliest of ties."""
    best: dict[str, tuple[float, Row]] = {}
    for row, value in zip(rows, scores, strict=True):
        if row["key"] not in best or value > best[row["key"]][0]:
            best[row["key"]] = (value, row)
    return [row for _, row in best.values()]


def count_solved(rows: Iterable[Row]) -> int:
    """Episodes that succeeded."""
    return sum(bool(row["outcome"]) for row in rows)


def _job(
    plan: Plan, seed: int, *, temperature: float = 0.0, exit_bias: float = 0.0
) -> Job:
    tasks = list_evaluated(plan, "validation")
    return Job(str(plan.policy), tasks, 1, temperature, exit_bias, seed, **plan.limits)
