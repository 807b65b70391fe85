"""A policy learns from demonstrations: one directory in, weights and a result out."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase, TrainerCallback

from rollouts.interchange.sft import PromptRow
from rollouts.policies.trained_prompts import PLAIN, TrainedPrompt
from training.rl import checkpoints
from training.rl.batching import fit_batch_size
from training.rl.encoding import Encoder, Example
from training.rl.phase.augmentation import augment_all
from training.rl.phase.scoring import encode_trajectory
from training.rl.process import is_main
from training.rl.scale.lora import add_adapter, find_starting_dtype, merge_adapter
from training.rl.scale.parallel import count_processes, wait_for_all
from training.rl.sft.config import SftConfig
from training.rl.sft.data import (
    PROMPTS,
    ROWS,
    WEIGHTS,
    SftSpec,
    read_prompt_rows,
)
from training.rl.sft.imitation import imitate
from training.rl.training_data import TrainingDataError, read_trajectories
from training.rl.types import Trajectory
from training.rl.webrl_config import WebRLConfig


def train_on_demonstrations(
    directory: Path,
    spec: SftSpec,
    callbacks: Sequence[TrainerCallback] = (),
    report: Callable[[str, int, float], None] = lambda name, step, value: None,
) -> dict[str, Any]:
    """Train the directory's policy; returns its part of `result.json`.

    Raises:
        TrainingDataError: No step was demonstrated.
        PromptTooLong: A history leaves no room for the page.
    """
    tokenizer = checkpoints.load_tokenizer(spec.base)
    steps, copies = _encode(directory, spec, tokenizer)
    if not steps:
        raise TrainingDataError("No demonstrated step is there to learn from.")
    examples = [*steps, *copies]
    dtype = find_starting_dtype(spec.algorithm, spec.algorithm.lora_rank)
    base = checkpoints.load_policy_model(spec.base, dtype=dtype)
    # Counted here: of several processes each may hold a share of them later.
    count = sum(weights.numel() for weights in base.parameters())
    model = add_adapter(base, spec.algorithm.lora_rank, spec.seed)
    sft, algorithm = _fit_batches(spec, len(examples))
    losses, state = imitate(
        model,
        examples,
        pad_id=tokenizer.pad_token_id,
        directory=directory / "sft.training",
        sft=sft,
        algorithm=algorithm,
        seed=spec.seed % 2**32,  # numpy takes 32 bits
        report=report,
        callbacks=callbacks,
    )
    target = directory / WEIGHTS
    if is_main():
        checkpoints.save_checkpoint(
            target,
            # One set of weights: loading them requires no adapter.
            merge_adapter(model, spec.base),
            tokenizer,
            extra={"trained_from": str(spec.base)},
            state=None if spec.algorithm.lora_rank else state,
        )
    wait_for_all()
    return {
        "policy_digest": checkpoints.verify(target),
        "parameter_count": count,
        "losses": mean_by_pass(losses, spec.sft.epochs),
        "steps": len(steps),
        "augmented_steps": len(copies),
    }


def _encode(
    directory: Path, spec: SftSpec, tokenizer: PreTrainedTokenizerBase
) -> tuple[list[Example], list[Example]]:
    """Return the directory's examples, and copies of them if the settings say so.

    The directory has rows of a file, which are used unchanged, or demonstrations.
    """
    if (directory / PROMPTS).exists():
        rows = read_prompt_rows(directory / PROMPTS)
        return encode_rows(tokenizer, rows, spec.algorithm), []
    episodes = read_trajectories(directory / ROWS)
    encoder = make_encoder(tokenizer, spec.algorithm, spec.prompt)
    copies = augment_all(episodes, spec.algorithm.augmented_copies, spec.seed)
    # Longer names may make a copy's last steps too long: these are left out. Recorded
    # steps must fit.
    copied = itertools.chain(*(encode_trajectory(encoder, copy) for copy in copies))
    return encode_steps(encoder, episodes), list(copied)


def make_encoder(
    tokenizer: PreTrainedTokenizerBase,
    config: WebRLConfig,
    prompt: TrainedPrompt = PLAIN,
) -> Encoder:
    """Return the encoder of a base's prompts within the algorithm's limits."""
    return Encoder(
        tokenizer,
        max_prompt_tokens=config.max_prompt_tokens,
        max_action_tokens=config.max_action_tokens,
        prompt=prompt,
    )


def _fit_batches(spec: SftSpec, rows: int) -> tuple[SftConfig, WebRLConfig]:
    """Reduce the batch if demonstrations are few: the first steps only warm up."""
    processes = count_processes()
    # At least four optimiser steps a pass, if there are enough rows.
    micro = min(spec.algorithm.micro_batch_size, max(rows // 4 // processes, 1))
    size = fit_batch_size(spec.sft.batch_size, micro * processes, rows)
    sft = dataclasses.replace(spec.sft, batch_size=size)
    algorithm = dataclasses.replace(
        spec.algorithm, micro_batch_size=micro, batch_size=size
    )
    return sft, algorithm


def mean_by_pass(losses: Sequence[float], passes: int) -> list[float]:
    """Return each pass's mean loss; single steps differ because their data differ."""
    size = max(len(losses) // passes, 1)
    parts = [losses[start : start + size] for start in range(0, len(losses), size)]
    return [statistics.fmean(part) for part in parts]


def encode_steps(encoder: Encoder, episodes: Iterable[Trajectory]) -> list[Example]:
    """Return every demonstrated step: what the person saw, and what they did.

    Raises:
        PromptTooLong: A history leaves no room for the page.
    """
    return [
        encoder.encode_step(
            episode.instruction,
            step.history,
            step.errors,
            step.observation,
            step.output,
        )
        for episode in episodes
        for step in episode.transitions
    ]


def encode_rows(
    tokenizer: PreTrainedTokenizerBase,
    rows: Iterable[PromptRow],
    config: WebRLConfig,
) -> list[Example]:
    """Return every row as it is in its file; nothing is changed or cut.

    Raises:
        TrainingDataError: A row is longer than the limits; the message names its line.
    """
    encoder = make_encoder(tokenizer, config, TrainedPrompt("webrl", "webrl"))
    return [_encode_row(encoder, row) for row in rows]


def _encode_row(encoder: Encoder, row: PromptRow) -> Example:
    prompt, answer = encoder.encode_text(row.prompt), encoder.encode_answer(row.output)
    for count, limit, name in (
        (len(prompt), encoder.max_prompt_tokens, "max_prompt_tokens"),
        (len(answer), encoder.max_action_tokens, "max_action_tokens"),
    ):
        if count > limit:
            raise TrainingDataError(
                f"{row.place}: {count} tokens, but {name} is {limit}. Raise it."
            )
    return Example((*prompt, *answer), len(prompt))
