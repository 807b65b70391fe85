"""The bench's episodes as a dataset that the dashboard imports, charts and replays.

    python -m benchmarks.learning.dataset FOLDER methods=filtered_bc seeds=0 phases=3
    ./webrl trajectories import FOLDER

Takes the choices of `./webrl bench learning`; each method and seed becomes a run, each
phase one of its phases. Nothing is played: what the bench has not played is missing.
With `--judge MODEL` that reward model judges what was collected, for its charts.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import JOB, WEIGHTS, Job, digest_weights, read_rows
from benchmarks.learning.command import parse_choices
from benchmarks.learning.loop import Plan, read_number
from benchmarks.learning.reward_model import THRESHOLD, score
from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.types import Action
from rollouts.interchange.dataset import DatasetEpisode, write_dataset
from rollouts.interchange.episodes import FileEpisode, FileStep, FileTask

# Tasks drawn beyond the catalog are trained on; the dashboard has only these splits.
SPLITS = {"more": "train"}
Judge = Callable[[Sequence[dict[str, Any]]], Sequence[float]]
TITLE = "WebRL Workbench: episodes of the learning bench"


@dataclasses.dataclass(frozen=True)
class Part:
    """The episodes of one job, and their place in their run."""

    run: str
    phase: int
    purpose: str
    folder: Path
    job: Job


def main(arguments: Sequence[str]) -> int:
    """Write the dataset and print what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("choices", nargs="*", help="NAME=VALUE, as of the bench")
    parser.add_argument("--judge", type=Path, help="reward model's checkpoint")
    given = parser.parse_args(arguments)
    choices = parse_choices(given.choices)
    plan = choices.plan()
    parts = [
        part
        for method in choices.chosen_methods()
        for seed in map(int, choices.seeds.split(","))
        for part in find_parts(plan, method.name, seed)
    ]
    judge = None
    if given.judge:
        limit = plan.limits["max_prompt_tokens"]
        judge = functools.partial(score, given.judge, max_prompt_tokens=limit)
    rows = write_dataset(given.folder, read_episodes(parts, judge), TITLE)
    for (table, split), count in rows.items():
        print(f"{table}/{split}: {count} rows")
    return 0


def find_parts(plan: Plan, method: str, seed: int) -> Iterator[Part]:
    """The start's episodes, then those of each phase, as far as they were played."""
    jobs = list(_read_jobs(plan.work))
    run, policy = f"{method}, seed {seed}", plan.policy
    made, folders = read_number(policy.parent), plan.work / "runs" / method / f"{seed}"
    for phase in range(plan.phases + 1):
        if phase:
            policy = folders / f"{made + phase}" / "policy"
        weights = digest_weights(policy)
        for folder, job in jobs:
            if job.exit_bias or not _is_of(folder, job, policy, weights):
                continue
            if job.temperature == 0 and job.tasks[0]["split"] == plan.split:
                purpose = "evaluate" if phase else "baseline"
                yield Part(run, max(phase, 1), purpose, folder, job)
            # Episodes that a phase's policy collects belong to the next phase.
            is_own = job.seed == 100 * seed + made + phase + 1 and (
                plan.is_balanced or job.attempts == plan.attempts
            )
            is_sampled = job.temperature == plan.training_temperature
            if is_sampled and is_own and phase < plan.phases:
                yield Part(run, phase + 1, "collect", folder, job)


def _is_of(folder: Path, job: Job, policy: Path, weights: str) -> bool:
    """Whether a job was played by a policy, or by another one with equal weights.

    The job names the policy that requested it last. Its path decides if the weights
    no longer exist, or if an earlier version has not written their digest.
    """
    kept = folder / WEIGHTS
    if kept.exists() and any(policy.glob("*.safetensors")):
        return kept.read_text() == weights
    return job.policy == str(policy)


def read_episodes(
    parts: Iterable[Part], judge: Judge | None = None
) -> Iterator[DatasetEpisode]:
    """Every episode of the parts, in their order.

    Args:
        parts: The parts to read.
        judge: Gives P(YES) of each row; called for collected episodes.
    """
    for part in parts:
        tasks = {task["key"]: task for task in part.job.tasks}
        rows = read_rows(part.folder)
        episodes = [_read_episode(part, tasks[row["key"]], row) for row in rows]
        if judge and part.purpose == "collect":
            pairs = zip(episodes, judge(rows), strict=True)
            episodes = [_add_judgement(*pair) for pair in pairs]
        yield from map(DatasetEpisode, episodes)


def _add_judgement(episode: FileEpisode, probability: float) -> FileEpisode:
    reward = float(probability > THRESHOLD)
    return dataclasses.replace(episode, success_probability=probability, reward=reward)


def _read_jobs(work: Path) -> Iterator[tuple[Path, Job]]:
    for path in sorted((work / "episodes").glob(f"*/{JOB}")):
        yield path.parent, Job(**json.loads(path.read_text()))


def _read_episode(part: Part, task: dict[str, Any], row: dict[str, Any]) -> FileEpisode:
    trajectory, spec = row["trajectory"], dict(task)
    steps = spec.pop("optimal_steps", None)
    return FileEpisode(
        task=FileTask(
            key=task["key"],
            instruction=task["intent"],
            known_as=(task["key"],),
            site=task["sites"][0],
            start_url=task["start_url"],
            split=SPLITS.get(task["split"], task["split"]),
            template_key=task["template_key"],
            optimal_steps=steps,
            spec=spec,
        ),
        steps=tuple(_read_steps(trajectory["transitions"])),
        run=part.run,
        phase=part.phase,
        policy=_name_policy(part),
        purpose=part.purpose,
        repeat=row["attempt"],
        ended_by=row["ended_by"],
        outcome=row["outcome"],
        final_observation=trajectory["final_observation"],
        observation_form="compact",
        action_dialect="webrl",
    )


def _name_policy(part: Part) -> str:
    phase = part.phase - (part.purpose != "evaluate")
    return f"{part.run}, phase {phase}" if phase else "start"


def _read_steps(transitions: Sequence[dict[str, Any]]) -> Iterator[FileStep]:
    # A step's error is in the history of the next step.
    errors = [*(after["errors"][-1] for after in transitions[1:]), ""]
    for step, error in zip(transitions, errors, strict=True):
        action = parse_action(step["output"])
        yield FileStep(
            observation=step["observation"],
            output=step["output"],
            action=_store(action) if action.name else {},
            error=error or action.error,
            token_count=len(step["token_ids"]),
            log_probability=sum(step["token_log_probabilities"]),
            token_ids=tuple(step["token_ids"]),
            token_log_probabilities=tuple(step["token_log_probabilities"]),
        )


def _store(action: Action) -> dict[str, Any]:
    return {
        "name": action.name,
        "element": action.element,
        "argument": action.argument,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
