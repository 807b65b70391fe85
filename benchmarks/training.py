"""Training speed: our batches and head against a plain padded loop.

Same model, same transitions, same loss, interleaved in one process: random order,
padded to the longest, logits over the whole sequence (the plain way), against length
buckets and the vocabulary head at the action's tokens only (ours).
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.records import Record
from training.rl.batching import Batch, collate, split_by_budget
from training.rl.encoding import Example
from training.rl.policy import action_log_probabilities
from training.rl.starter.architecture import new_model

ROWS = 96
MICRO_BATCH = 8
ROUNDS = 3
BETA = 0.2


def run() -> list[Record]:
    """Tokens per second, ours beside the plain loop."""
    model = new_model(0, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    examples = make_examples(random.Random(0))
    real = sum(len(example.ids) for example in examples)
    ours, plain = [], []
    for _ in range(ROUNDS):
        plain.append(real / timed(lambda: plain_pass(model, examples)))
        ours.append(real / timed(lambda: our_pass(model, examples)))
    fast, slow = statistics.median(ours), statistics.median(plain)
    return [Record("training tokens per second", fast, slow, "tokens/s", ROUNDS)]


def make_examples(rng: random.Random) -> list[Example]:
    """Transitions of 105 to 797 tokens of which about 5 % are the action."""
    examples = []
    for _ in range(ROWS):
        length = rng.randint(105, 797)
        ids = tuple(rng.randrange(8, 1536) for _ in range(length))
        examples.append(Example(ids, length - max(8, length // 20)))
    return examples


def our_pass(model: Any, examples: list[Example]) -> None:
    """Forward and backward over every example, in length buckets."""
    lengths = [len(example.ids) for example in examples]
    budget = MICRO_BATCH * 512
    for index in split_by_budget(lengths, range(len(examples)), budget):
        batch = collate(examples, index, pad_id=0)
        found, _ = action_log_probabilities(model, batch)
        loss = squared_error(found.sum(dim=1))
        torch.autograd.backward(loss)
    model.zero_grad()


def plain_pass(model: Any, examples: list[Example]) -> None:
    """The same in random order with logits everywhere."""
    for start in range(0, len(examples), MICRO_BATCH):
        index = list(range(start, min(start + MICRO_BATCH, len(examples))))
        batch = collate(examples, index, pad_id=0)
        summed = plain_log_probabilities(model, batch)
        loss = squared_error(summed)
        torch.autograd.backward(loss)
    model.zero_grad()


def squared_error(log_ratio: torch.Tensor) -> torch.Tensor:
    """The paper's loss (equation 7) where every advantage is 0."""
    return ((BETA * log_ratio) ** 2).mean()


def plain_log_probabilities(model: Any, batch: Batch) -> torch.Tensor:
    """Summed log-probability of each action by the full log-softmax, (B,)."""
    logits = model(input_ids=batch.ids, attention_mask=batch.attention_mask).logits
    logs = logits[:, :-1].float().log_softmax(-1)
    taken = logs.gather(2, batch.ids[:, 1:, None])[..., 0]
    summed: torch.Tensor = (taken * batch.action_mask).sum(1)
    return summed


def timed(work: Callable[[], None]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
