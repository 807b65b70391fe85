"""One process's episodes, with policy, browser and sandbox in this process."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.learning.acting import SEED_STRIDE, Job
from benchmarks.learning.controls import FirstTokenBias, first_exit_token
from training.rl import checkpoints
from training.rl.encoding import Encoder
from training.rl.local_policy import LocalPolicy
from training.rl.starter.episodes import (
    RecordedEpisode,
    collect_episodes,
    sandbox_server,
)


def load_actor(job: Job) -> LocalPolicy:
    """The job's policy with its bias and temperature."""
    directory = Path(job.policy)
    encoder = Encoder(
        checkpoints.load_tokenizer(directory),
        max_prompt_tokens=job.max_prompt_tokens,
        max_action_tokens=job.max_action_tokens,
    )
    model = checkpoints.load_policy_model(directory)
    if job.exit_bias:
        model = FirstTokenBias(model, {first_exit_token(encoder): job.exit_bias})
    return LocalPolicy(model, encoder, temperature=job.temperature)


def play_pairs(
    job: Job, pairs: Sequence[tuple[int, int]], out: Path, *, contexts: int
) -> None:
    """Play (task index, attempt) pairs and append each episode as it ends."""
    tasks = [job.tasks[index] for index, _ in pairs]
    count = len(job.tasks)
    seeds = [
        job.seed * SEED_STRIDE + attempt * count + index for index, attempt in pairs
    ]
    with out.open("a") as handle, sandbox_server() as control_url:

        def keep(episode: RecordedEpisode) -> None:
            place = episode.trajectory.trajectory_id
            index, attempt = pairs[place]
            task = job.tasks[index]
            row = dataclasses.asdict(episode)
            row |= {"attempt": attempt, "template": task["template_key"]}
            handle.write(json.dumps(row) + "\n")
            handle.flush()

        collect_episodes(
            load_actor(job),
            tasks,
            control_url=control_url,
            step_limit=job.step_limit,
            seeds=seeds,
            contexts=contexts,
            on_end=keep,
        )
