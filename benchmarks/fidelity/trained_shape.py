"""Llama-3.1's shape with random weights through a phase on the sandbox's sites.

`python -m benchmarks.fidelity.trained_shape [--episodes 8] [--max-prompt-tokens 2048]`
plays sandbox tasks in the browser under WebRL's form and prompt with a small model of
Llama-3.1's architecture, lets the released question decide what counts as success,
and trains critic and policy on the episodes. Prints what was recorded and what became
of it; exits with 1 where a step was trained on other tokens than were sampled, or the
objective did not fall. The answers are noise: the parts are shown to fit together.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.fidelity.served_shape import MAX_ACTION_TOKENS, build
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.types import EpisodeEnd
from rollouts.policies.trained_prompts import TrainedPrompt
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.playing import Attempt, play
from training.rl import metric_names as names
from training.rl.local_policy import load_policy
from training.rl.orm.reward_model import load_reward_model
from training.rl.phase.trainer import PhaseTrainer
from training.rl.training_data import FRESH, SPEC, read_spec, write_lines
from training.rl.types import Trajectory, Transition

BUDGET = 8192
NUMBERS = {
    "policy_learning_rate": 1e-3,
    "critic_learning_rate": 1e-3,
    "policy_epochs": 3,
    "batch_size": 8,
    "micro_batch_size": 2,
    "micro_batch_tokens": BUDGET,
    "max_action_tokens": MAX_ACTION_TOKENS,
}
SHOWN = (
    *(names.FRESH_STEPS, names.UNRECORDED_STEPS, names.RECORD_MISMATCH),
    *(names.OBJECTIVE_BEFORE, names.OBJECTIVE_AFTER),
)


def collect(weights: Path, episodes: int, max_prompt_tokens: int) -> list[Trajectory]:
    """Play the tasks; episodes that broke are left out."""
    every = load_tasks("train")
    tasks = every[:: len(every) // episodes][:episodes]
    policy = load_policy(
        str(weights),
        temperature=1.0,
        max_prompt_tokens=max_prompt_tokens,
        max_action_tokens=MAX_ACTION_TOKENS,
        served_prompt="webrl",
        observation="webrl",
    )
    with sandbox_process(start_s=300.0) as url, contextlib.closing(policy):
        attempts = list(play(policy, tasks, control_url=url, form="webrl"))
    return list(_read(attempts))


def _read(attempts: Sequence[Attempt]) -> Iterator[Trajectory]:
    for number, one in enumerate(attempts):
        if not isinstance(one.end, EpisodeEnd):
            continue
        steps = tuple(
            Transition(
                step_id=1000 * number + index,
                history=tuple(s.output for s in one.steps[:index]),
                errors=tuple(s.error for s in one.steps[:index]),
                observation=step.observation.text,
                output=step.output,
                token_ids=step.token_ids,
                token_log_probabilities=step.token_log_probabilities,
            )
            for index, step in enumerate(one.steps)
        )
        yield Trajectory(number, number, one.task["intent"], steps, one.end.final.text)


def judge(
    weights: Path, episodes: Sequence[Trajectory], max_prompt_tokens: int
) -> list[Trajectory]:
    """Return the episodes with rewards: 1 for the half that the noise rates higher."""
    model = load_reward_model(
        str(weights),
        max_prompt_tokens=max_prompt_tokens,
        budget=BUDGET,
        verdict="webrl",
    )
    scores = [score or 0.0 for score in model.score(episodes)]
    middle = statistics.median(scores)
    return [
        dataclasses.replace(episode, reward=float(score > middle))
        for episode, score in zip(episodes, scores, strict=True)
    ]


def train(
    folder: Path, episodes: Sequence[Trajectory], max_prompt_tokens: int
) -> dict[str, float]:
    """Train critic and policy in the folder; return the last value of each metric."""
    write_lines(folder / FRESH, map(dataclasses.asdict, episodes))
    spec = {
        "config": NUMBERS | {"max_prompt_tokens": max_prompt_tokens},
        "prompt": dataclasses.asdict(TrainedPrompt("webrl", "webrl")),
        "seed": 0,
        "policy": "../start",
        "critic": "../start",
    }
    (folder / SPEC).write_text(json.dumps(spec))
    found: dict[str, float] = {}
    PhaseTrainer(
        folder,
        read_spec(folder),
        report=lambda name, step, value: found.__setitem__(name, value),
        on_progress=lambda part, done, total: None,
        callbacks=lambda part: [],
    ).run()
    return found


def main(arguments: list[str]) -> int:
    """Build, collect, judge, train, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=8)
    parser.add_argument("--max-prompt-tokens", type=int, default=2048)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        start, folder = Path(name) / "start", Path(name) / "phase-1"
        start.mkdir()
        folder.mkdir()
        build(start)
        episodes = collect(start, given.episodes, given.max_prompt_tokens)
        judged = judge(start, episodes, given.max_prompt_tokens)
        found = train(folder, judged, given.max_prompt_tokens)
    print(f"{len(judged)} of {given.episodes} episodes ended")
    for metric in SHOWN:
        print(f"{found[metric]:12.6f} {metric}")
    falls = found[names.OBJECTIVE_AFTER] < found[names.OBJECTIVE_BEFORE]
    return int(bool(found[names.UNRECORDED_STEPS]) or not falls)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
