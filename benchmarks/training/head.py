"""Peak memory of the vocabulary head at 128k words and 4,096 tokens.

Ours reads the action's tokens alone. The released training code takes the log-softmax
of every token. Both run forward and backward on a body of one small layer, each in a
process of its own, whose peak is compared with its memory before the pass.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks.records import Record
from benchmarks.training.plain import plain_log_probabilities
from benchmarks.training.sizes import BOS, EOS, PAD
from training.rl.batching import Batch, collate
from training.rl.encoding import Example
from training.rl.policy import action_log_probabilities

WIDTH = 64
KIB_PER_MIB = 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """The input: a vocabulary, and the tokens of a prompt with its action."""

    vocabulary: int
    tokens: int
    action: int


LLAMA_PAGE = Page(vocabulary=128_256, tokens=4_096, action=64)


def measure() -> Record:
    """MiB of the peak, ours compared with the full log-softmax."""
    ours = measure_peak(sum_ours, LLAMA_PAGE)
    full = measure_peak(plain_log_probabilities, LLAMA_PAGE)
    return Record("head at 128k x 4,096, peak memory", ours, full, "MiB", 1)


def measure_peak(summed: Callable[[Any, Batch], torch.Tensor], page: Page) -> float:
    """MiB that one forward and backward pass adds to a new process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return float(pool.apply(_add_peak, (summed, page)))


def _add_peak(summed: Callable[[Any, Batch], torch.Tensor], page: Page) -> float:
    model = _build(page)
    words = range(EOS + 1, page.vocabulary)
    ids = tuple(random.Random(0).choices(words, k=page.tokens))
    batch = collate([Example(ids, page.tokens - page.action)], [0], pad_id=PAD)
    before = _peak()
    torch.autograd.backward(summed(model, batch).sum())
    return _peak() - before


def sum_ours(model: Any, batch: Batch) -> torch.Tensor:
    """Summed log-probability of each action, (B,)."""
    found, _ = action_log_probabilities(model, batch)
    return found.sum(1)


def _build(page: Page) -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=page.vocabulary,
            hidden_size=WIDTH,
            intermediate_size=WIDTH,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=page.tokens,
            tie_word_embeddings=True,
            pad_token_id=PAD,
            bos_token_id=BOS,
            eos_token_id=EOS,
        )
    )


def _peak() -> float:
    """Peak memory of this process so far, in MiB.

    Not `ru_maxrss`: a new process inherits its parent's.
    """
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / KIB_PER_MIB
