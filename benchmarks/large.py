"""Speed and memory of a phase's update with the shape of a large model.

`./webrl bench large` builds the shape with random weights and trains it with the
policy's trainer: WebRL's loss, AdamW, clipped gradients. The first optimiser step warms
up and is not timed. `--set NAME=VALUE` changes what `Choices` holds, for example
`--set shape=llama-3.1-8b --set tokens=4096`.
"""

from __future__ import annotations

import dataclasses
import gc
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from benchmarks.records import Record
from benchmarks.training.plain import plain_log_probabilities
from benchmarks.training.sizes import BOS, EOS, PAD
from benchmarks.training.updates import Stopwatch, make_row
from training.rl.batching import collate
from training.rl.checkpoints import preferred_device, uses_bfloat16
from training.rl.encoding import Example
from training.rl.phase.updates import PolicyTrainer
from training.rl.scale.lora import add_adapter, find_starting_dtype
from training.rl.trainers import training_arguments
from training.rl.webrl_config import WebRLConfig

RATE = 1e-5
GIB = 1024**3
# Dense bfloat16 of one GPU by NVIDIA's data sheets, in floating-point operations a
# second, without sparsity.
PEAKS: Mapping[str, float] = {"H100": 989e12, "H200": 989e12, "A100": 312e12}
PRODUCT = 8192  # width of the matrices of the product that is timed on other devices
PASSES = 3  # forward, and backward for the inputs and for the weights


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """A decoder of Llama's kind."""

    vocabulary: int
    width: int
    feed_forward: int
    layers: int
    heads: int
    key_value_heads: int

    @property
    def layer_weights(self) -> int:
        """Weights of one layer's matrices."""
        narrow = self.width * self.key_value_heads // self.heads
        attention = 2 * self.width * (self.width + narrow)
        return attention + 3 * self.width * self.feed_forward


SHAPES: Mapping[str, Shape] = {
    "tiny": Shape(512, 64, 128, 2, 4, 2),
    "smollm2-135m": Shape(49_152, 576, 1_536, 30, 9, 3),
    "llama-3.1-8b": Shape(128_256, 4_096, 14_336, 32, 32, 8),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Choices:
    """What `--set NAME=VALUE` can set.

    Attributes:
        shape: A name of `SHAPES`.
        layers: Layers of it; 0 means all.
        lora_rank: 0 trains all weights.
        tokens: Tokens of a step of an episode, its action included.
        action: Tokens of its action.
        batch: Steps of an optimiser step.
        micro_batch: Steps of a forward and backward pass.
        updates: Optimiser steps, of which the first is not timed.
        checkpointing: Whether activations are computed again, 0 or 1.
        precision: Of the passes, as the setting of that name.
        frozen_weights: Type of the weights under an adapter, float32 or bfloat16.
        plain: Whether a plain loop, with the logits of every token, is measured too.
    """

    shape: str = "tiny"
    layers: int = 0
    lora_rank: int = 0
    tokens: int = 4_096
    action: int = 100
    batch: int = 8
    micro_batch: int = 1
    updates: int = 3
    checkpointing: int = 0
    precision: str = "auto"
    frozen_weights: str = "float32"
    plain: int = 1

    def find_shape(self) -> Shape:
        """The shape with the chosen number of layers."""
        whole = SHAPES[self.shape]
        return dataclasses.replace(whole, layers=self.layers or whole.layers)

    def config(self) -> WebRLConfig:
        """The trainer's settings; on a GPU it computes in bfloat16."""
        return WebRLConfig(
            batch_size=self.batch,
            micro_batch_size=self.micro_batch,
            lora_rank=self.lora_rank,
            gradient_checkpointing=bool(self.checkpointing),
            precision=self.precision,  # type: ignore[arg-type]
            frozen_weights=self.frozen_weights,  # type: ignore[arg-type]
        )

    def describe(self) -> str:
        """The choices in a few words."""
        shape = self.find_shape()
        weights = f"LoRA {self.lora_rank}" if self.lora_rank else "all weights"
        again = ", activations computed again" if self.checkpointing else ""
        layers = f"{self.shape} of {shape.layers} layers"
        size = f"{self.micro_batch} x {self.tokens} tokens"
        frozen = ", frozen weights in bfloat16" if self.is_rounded else ""
        return f"{layers}, {weights}{frozen}, {size}{again}"

    @property
    def is_rounded(self) -> bool:
        """Whether frozen weights are held in bfloat16."""
        return find_starting_dtype(self.config(), self.lora_rank) == torch.bfloat16


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Tokens a second, and GiB of a GPU's memory at most."""

    speed: float
    gibibytes: float


def run(choices: Sequence[str] = ()) -> list[Record]:
    """Train, and return speed, utilisation and memory."""
    chosen = parse(choices)
    device = preferred_device()
    ours = measure(train, chosen, device)
    plain = measure(train_plainly, chosen, device) if chosen.plain else None
    title, rounds = chosen.describe(), chosen.updates - 1
    limit = find_peak(device) / count_flops(chosen) * chosen.tokens / 100
    kinds: list[tuple[str, Callable[[Measured], float], str]] = [
        ("speed", lambda found: found.speed, "tokens/s"),
        ("utilisation (MFU)", lambda found: found.speed / limit, "%"),
        ("peak memory", lambda found: found.gibibytes, "GiB"),
    ]
    # Only a GPU counts what was allocated.
    shown = kinds if device.type == "cuda" else kinds[:2]
    return [
        Record(f"{title}: {what}", of(ours), of(plain) if plain else None, unit, rounds)
        for what, of, unit in shown
    ]


def measure(
    work: Callable[[Choices, torch.device], float],
    chosen: Choices,
    device: torch.device,
) -> Measured:
    """Speed and memory of one way to train."""
    on_gpu = device.type == "cuda"
    if on_gpu:
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    seconds = work(chosen, device)
    timed = chosen.batch * (chosen.updates - 1)
    most = torch.cuda.max_memory_allocated() if on_gpu else 0
    return Measured(chosen.tokens * timed / seconds, most / GIB)


def parse(pairs: Sequence[str]) -> Choices:
    """Read `NAME=VALUE` pairs.

    Raises:
        SystemExit: A name or a shape is unknown, or a value is no number.
    """
    kinds = {field.name: str(field.type) for field in dataclasses.fields(Choices)}
    found: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in kinds:
            raise SystemExit(f"Unknown choice {name}; known are {', '.join(kinds)}.")
        if kinds[name] == "int" and not value.isdecimal():
            raise SystemExit(f"{name} cannot be {value!r}.")
        found[name] = int(value) if kinds[name] == "int" else value
    chosen = Choices(**found)
    if chosen.shape not in SHAPES:
        known = ", ".join(SHAPES)
        raise SystemExit(f"Unknown shape {chosen.shape}; known are {known}.")
    try:
        chosen.config()
    except ValueError as error:
        raise SystemExit(str(error)) from error
    if chosen.updates < 2:
        raise SystemExit("updates must be 2 or more: the first is not timed.")
    return chosen


def count_flops(chosen: Choices) -> float:
    """Floating-point operations that one step of an episode needs.

    Two for each weight and token in each of three passes; frozen weights need no pass
    for themselves. Attention looks at earlier tokens alone, the head at the action's
    tokens alone. Activations that are computed again are not counted: they are no
    progress.
    """
    shape, tokens = chosen.find_shape(), chosen.tokens
    passes = PASSES - 1 if chosen.lora_rank else PASSES
    body = 2 * passes * shape.layers * shape.layer_weights * tokens
    body += 2 * PASSES * count_adapter(shape, chosen.lora_rank) * tokens
    # Scores and weighted sums: two products over half of the square, no weights.
    attention = 2 * PASSES * shape.layers * shape.width * tokens**2
    head = 2 * passes * shape.vocabulary * shape.width * chosen.action
    return float(body + attention + head)


def count_adapter(shape: Shape, rank: int) -> int:
    """Weights of an adapter on every matrix of the layers."""
    narrow = shape.width * shape.key_value_heads // shape.heads
    sides = 2 * (shape.width + shape.width) + 2 * (shape.width + narrow)
    sides += 3 * (shape.width + shape.feed_forward)
    return rank * sides * shape.layers


def find_peak(device: torch.device) -> float:
    """Floating-point operations a second that the device can do.

    A GPU's from its data sheet if `PEAKS` has it, else what a matrix product reaches.
    """
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
        for known, peak in PEAKS.items():
            if known in name:
                return peak
    return time_product(device)


def time_product(device: torch.device) -> float:
    """Floating-point operations a second of a product of two square matrices."""
    on_gpu = device.type == "cuda"
    width = PRODUCT if on_gpu else PRODUCT // 8
    kind = torch.bfloat16 if on_gpu else torch.float32
    left = torch.randn(width, width, device=device, dtype=kind)
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        found = left @ left
        found[0, 0].item()  # waits for the device
        best = min(best, time.perf_counter() - start)
    return 2 * width**3 / best


def build(chosen: Choices, device: torch.device) -> Any:
    """The model with random weights and its adapter."""
    shape = chosen.find_shape()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_value_heads,
        max_position_embeddings=chosen.tokens,
        tie_word_embeddings=False,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
    )
    with torch.device(device):
        kind = find_starting_dtype(chosen.config(), chosen.lora_rank)
        model = AutoModelForCausalLM.from_config(config, dtype=kind)
    return add_adapter(model, chosen.lora_rank, seed=0)


def make_examples(chosen: Choices) -> list[Example]:
    """Steps of random tokens, all of the chosen length."""
    rng = random.Random(0)
    words = range(EOS + 1, chosen.find_shape().vocabulary)
    return [
        Example(
            tuple(rng.choices(words, k=chosen.tokens)), chosen.tokens - chosen.action
        )
        for _ in range(chosen.batch * chosen.updates)
    ]


def train(chosen: Choices, device: torch.device) -> float:
    """The policy's trainer; returns the seconds of the timed optimiser steps."""
    config, watch = chosen.config(), Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        PolicyTrainer(
            build(chosen, device),
            [make_row(example) for example in make_examples(chosen)],
            args=training_arguments(
                Path(folder), config, learning_rate=RATE, epochs=1, seed=0
            ),
            config=config,
            pad_id=PAD,
            seed=0,
            report=lambda name, step, value: None,
            callbacks=[watch],
        ).train()
    return watch.seconds


def train_plainly(chosen: Choices, device: torch.device) -> float:
    """A loop written by hand, with the logits of every token; returns its seconds."""
    model, examples = build(chosen, device), make_examples(chosen)
    if chosen.checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
    model.train()
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, RATE, weight_decay=0.0, fused=True)
    started = 0.0
    for update in range(chosen.updates):
        for first in range(0, chosen.batch, chosen.micro_batch):
            rows = range(first, first + chosen.micro_batch)
            index = [update * chosen.batch + row for row in rows]
            batch = collate(examples, index, pad_id=PAD, device=device)
            in_bfloat16 = uses_bfloat16(chosen.precision)
            with torch.autocast(device.type, torch.bfloat16, enabled=in_bfloat16):
                summed = plain_log_probabilities(model, batch)  # (B,)
            # Equation 7 with a reference of 0 nats and an advantage of 0.5.
            loss = ((0.2 * summed - 0.5) ** 2).sum() / chosen.batch
            torch.autograd.backward(loss)
        norm = torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        norm.item()  # waits for the device
        started = started or time.perf_counter()
    return time.perf_counter() - started
