"""Episodes of one policy, by several processes, kept in files.

Run as `python -m benchmarks.learning.acting FOLDER NUMBER OF`: plays process NUMBER's
share of FOLDER's job and appends each episode as it ends. Episodes that are already
there are not played again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.processes import start_module

JOB = "job.json"
WEIGHTS = "weights.sha256"
# This file marks that all processes have played their share.
ENDED = "ended"
SEED_STRIDE = 1_000_003
# The lengths of the shipped models' prompts and answers.
LIMITS: Mapping[str, int] = {"max_prompt_tokens": 1024, "max_action_tokens": 48}


@dataclasses.dataclass(frozen=True)
class Job:
    """Which policy attempts which tasks, and how often.

    Attributes:
        policy: Checkpoint directory.
        tasks: Task objects from the catalog or drawn beyond it.
        attempts: Attempts at each.
        temperature: 0 is greedy.
        exit_bias: Nats added to the logit of the token that begins `exit`.
        seed: Seed of all draws.
        step_limit: Longest episode.
        max_prompt_tokens: The page is cut so that the prompt fits.
        max_action_tokens: Longest answer.
    """

    policy: str
    tasks: list[dict[str, Any]]
    attempts: int
    temperature: float
    exit_bias: float = 0.0
    seed: int = 0
    step_limit: int = 12
    # An earlier version knew only these values and did not write them to its files.
    max_prompt_tokens: int = LIMITS["max_prompt_tokens"]
    max_action_tokens: int = LIMITS["max_action_tokens"]


def play(folder: Path, job: Job, *, processes: int, contexts: int = 6) -> None:
    """Play what is missing of a job; returns when all of it has ended.

    Episodes that broke are not repeated once a job has ended: trainings that are
    resumed later have begun without them.

    Raises:
        RuntimeError: A process failed; its log is in the folder.
        ValueError: The folder holds another job, or other weights have played it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keep_or_refuse(folder / WEIGHTS, digest_weights(Path(job.policy)), "weights")
    keep_job(folder / JOB, job)
    is_whole = len(read_rows(folder)) >= len(job.tasks) * job.attempts
    if is_whole or (folder / ENDED).exists():
        return
    of = [str(processes), str(contexts)]
    running = [
        start_module(
            __name__,
            [str(folder), str(number), *of],
            log=folder / f"{number}.log",
            threads=1,
        )
        for number in range(processes)
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise RuntimeError(f"Acting failed; see the logs in {folder}.")
    (folder / ENDED).touch()


def keep_job(file: Path, job: Job) -> None:
    """Write the job of a folder's episodes; its weights may have moved since.

    Raises:
        ValueError: The file holds another job.
    """
    if file.exists():
        found = Job(**json.loads(file.read_text()))
        if dataclasses.replace(found, policy=job.policy) != job:
            raise refusal(file.parent, "the episodes of other tasks or settings")
    file.write_text(json.dumps(dataclasses.asdict(job)))


def keep_or_refuse(file: Path, text: str, what: str) -> None:
    """Write a text that stays the same for a folder; an earlier version wrote none.

    Raises:
        ValueError: The file holds another text.
    """
    if file.exists() and file.read_text() != text:
        raise refusal(file.parent, f"the episodes of other {what}")
    file.write_text(text)


def refusal(folder: Path, held: str) -> ValueError:
    """The error for a folder that holds something other than what is requested."""
    told = f"{folder} holds {held}"
    return ValueError(f"{told}; remove it, or take another folder of all files.")


def digest_weights(policy: Path) -> str:
    """SHA-256 over a checkpoint's weights: its path stays the same after retraining."""
    total = hashlib.sha256()
    for path in sorted(policy.glob("*.safetensors")):
        total.update(path.read_bytes())
    return total.hexdigest()


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """All episodes of a folder by task and attempt, without repeats."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for path in sorted(folder.glob("*.episodes.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            rows.setdefault((row["key"], row["attempt"]), row)
    return [rows[name] for name in sorted(rows)]


def share(
    job: Job, done: set[tuple[str, int]], number: int, of: int
) -> list[tuple[int, int]]:
    """The (task index, attempt) pairs of one process that are not done."""
    pairs = [(i, a) for a in range(job.attempts) for i in range(len(job.tasks))]
    return [
        (index, attempt)
        for place, (index, attempt) in enumerate(pairs)
        if place % of == number and (job.tasks[index]["key"], attempt) not in done
    ]


def main(arguments: Sequence[str]) -> int:
    """Play one process's share."""
    import torch

    from benchmarks.learning import playing

    torch.set_num_threads(1)
    folder, number, of, contexts = Path(arguments[0]), *map(int, arguments[1:4])
    job = Job(**json.loads((folder / JOB).read_text()))
    done = {(row["key"], row["attempt"]) for row in read_rows(folder)}
    pairs = share(job, done, number, of)
    if pairs:
        out = folder / f"{number}.episodes.jsonl"
        playing.play_pairs(job, pairs, out, contexts=contexts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
