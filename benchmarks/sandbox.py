"""Checks the sandbox: trivial policies fail, and parallel episodes stay isolated.

- Policies that know nothing (exiting immediately, acting at random) on the test tasks.
- Tasks that change something, one by one and then all at once, with a solver that
  makes occasional mistakes: outcomes, steps and last pages must be the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.policies.protocol import Policy, PolicyAnswer, PolicyRequest
from rollouts.sites.sandbox.baselines import ExitPolicy, RandomPolicy, draw_action
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy
from rollouts.sites.sandbox.playing import Attempt, Task, play

TOGETHER = 64
ROUNDS = 5
NOISE_SHARE = 0.15
Result = tuple[bool | None, int, str]


class NoisyOracle(OraclePolicy):
    """Solves tasks, but sometimes acts at random, by its seed."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer like the oracle, or make a mistake."""
        answers = super().act(requests)
        return [
            PolicyAnswer(draw_action(request)) if _is_noisy(request) else answer
            for request, answer in zip(requests, answers, strict=True)
        ]


def run() -> list[Record]:
    """Measure and return the records."""
    with sandbox_process() as control_url:
        return [*_ignorance(control_url), *_isolation(control_url)]


def _ignorance(control_url: str) -> list[Record]:
    possible = [
        task
        for task in load_tasks("test")
        if TEMPLATES[task["template_key"]].is_possible
    ]
    policies: dict[str, Policy] = {
        "leaving at once": ExitPolicy(),
        "acting at random": RandomPolicy(),
    }
    records = []
    for name, policy in policies.items():
        attempts = play(policy, possible, control_url=control_url)
        solved = sum(attempt.outcome is True for attempt in attempts)
        share = 100 * solved / len(possible)
        title = f"possible test tasks solved by {name}"
        records.append(Record(title, share, None, "%", len(possible)))
    return records


def _isolation(control_url: str) -> list[Record]:
    tasks = pick_changes(TOGETHER)
    start = time.perf_counter()
    alone = _outcomes(tasks, 1, control_url)
    seconds = time.perf_counter() - start
    differing = 0
    for _ in range(ROUNDS):
        together = _outcomes(tasks, TOGETHER, control_url)
        found = [key for key in alone if alone[key] != together[key]]
        differing += len(found)
        for key in found:
            print(f"{key}: alone {alone[key]}, together {together[key]}")
    solved = sum(outcome is True for outcome, _, _ in alone.values())
    return [
        Record(f"of {TOGETHER} changes one by one, solved", solved, None, "", 1),
        Record("one by one", seconds, None, "s", TOGETHER),
        Record(
            f"outcomes that differ when all run at once, {ROUNDS} rounds",
            differing,
            None,
            "",
            ROUNDS * TOGETHER,
        ),
    ]


def pick_changes(count: int) -> list[Task]:
    """Test tasks that change something, spread over sites and templates."""
    tasks = [
        task
        for task in load_tasks("test")
        if TEMPLATES[task["template_key"]].kind == "change"
    ]
    Random(1).shuffle(tasks)
    return tasks[:count]


def _outcomes(
    tasks: Sequence[Task], contexts: int, control_url: str
) -> dict[str, Result]:
    policy = NoisyOracle(tasks)
    return {
        attempt.task["key"]: _result(attempt)
        for attempt in play(policy, tasks, contexts=contexts, control_url=control_url)
    }


def _result(attempt: Attempt) -> Result:
    last = attempt.steps[-1].observation.text if attempt.steps else ""
    return attempt.outcome, len(attempt.steps), last


def _is_noisy(request: PolicyRequest) -> bool:
    return Random(request.seed + 1).random() < NOISE_SHARE
