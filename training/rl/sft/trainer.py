"""A policy learns from demonstrations: one directory in, weights and a result out."""

from __future__ import annotations

import dataclasses
import itertools
import logging
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    LEFT_OUT,
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

log = logging.getLogger(__name__)


def train_on_demonstrations(
    directory: Path,
    spec: SftSpec,
    callbacks: Sequence[TrainerCallback] = (),
    report: Callable[[str, int, float], None] = lambda name, step, value: None,
) -> dict[str, Any]:
    """Train the directory's policy; returns its part of `result.json`.

    Raises:
        TrainingDataError: No step was demonstrated whose answer fits.
        PromptTooLong: A history leaves no room for the page.
    """
    tokenizer = checkpoints.load_tokenizer(spec.base)
    steps, copies, left_out = _encode(directory, spec, tokenizer)
    if left_out:
        told = "%d steps are left out: their answers are longer than %d tokens"
        log.warning(told, left_out, spec.algorithm.max_action_tokens)
    if not steps:
        raise TrainingDataError(
            "No demonstrated step is there to learn from. Left out, with an answer "
            f"longer than max_action_tokens: {left_out}."
        )
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
        LEFT_OUT: left_out,
    }


def _encode(
    directory: Path, spec: SftSpec, tokenizer: PreTrainedTokenizerBase
) -> tuple[list[Example], list[Example], int]:
    """Return examples, copies if the settings say so, and how many steps are left out.

    The directory has rows of a file, which are used unchanged, or demonstrations. Of
    these, steps are left out whose answers are longer than the limit.
    """
    if (directory / PROMPTS).exists():
        rows = read_prompt_rows(directory / PROMPTS)
        return encode_rows(tokenizer, rows, spec.algorithm), [], 0
    episodes = read_trajectories(directory / ROWS)
    encoder = make_encoder(tokenizer, spec.algorithm, spec.prompt)
    copies = augment_all(episodes, spec.algorithm.augmented_copies, spec.seed)
    copied = itertools.chain(*(_encode_copy(encoder, copy) for copy in copies))
    steps = encode_steps(encoder, episodes)
    demonstrated = sum(len(episode.transitions) for episode in episodes)
    return steps, list(copied), demonstrated - len(steps)


def _encode_copy(encoder: Encoder, copy: Trajectory) -> Iterator[Example]:
    """Yield a copy's steps; longer names may make some too long for a prompt or answer.

    Prompts of recorded steps must fit.
    """
    # Ends with the first prompt that does not fit.
    examples = encode_trajectory(encoder, copy)
    for step, example in zip(copy.transitions, examples, strict=False):
        if encoder.takes_whole(step.output):
            yield example


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
    """Return the demonstrated steps: what the person saw, and what they did.

    A step whose answer is longer than the encoder's limit is left out: cut, it would
    teach a call without its end.

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
        if encoder.takes_whole(step.output)
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
