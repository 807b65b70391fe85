"""The reward model's scoring, and a bare batched forward pass of the same prompts."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from benchmarks.records import Record
from training.rl import checkpoints
from training.rl.encoding import Encoder
from training.rl.orm.reward_model import RewardModel
from training.rl.types import Trajectory, Transition

ORM = Path("models/starter/orm")
EPISODES = 128
MAX_PROMPT = 1024
BUDGET = 8192  # tokens of a pass, padding included
WORDS = ("<a id=", "lamp", "Price", "</a>", "Reviews", "<p>", "oak", "$24.50", "</p>")


def measure(rounds: int) -> Record:
    """Milliseconds an episode: encoded, batched and scored, against the bare pass."""
    episodes = make_episodes()
    model = RewardModel(ORM, max_prompt_tokens=MAX_PROMPT, budget=BUDGET)
    bare = prepare_bare(episodes)
    ours, other = [], []
    for _ in range(rounds):
        other.append(_time(bare))
        ours.append(_time(lambda: model.score(episodes)))
    return Record(
        "reward model beside a bare pass, an episode",
        1000 * statistics.median(ours) / EPISODES,
        1000 * statistics.median(other) / EPISODES,
        "ms",
        rounds,
    )


def make_episodes() -> list[Trajectory]:
    """Episodes with pages of 100 to 800 tokens."""
    rng = random.Random(0)
    return [
        Trajectory(
            number,
            number,
            f"Find lamp {number}",
            (Transition(number, (), (), "", 'do(action="Click", element="1")'),),
            " ".join(rng.choices(WORDS, k=rng.randint(40, 250))),
        )
        for number in range(EPISODES)
    ]


def prepare_bare(episodes: Sequence[Trajectory]) -> Callable[[], None]:
    """A function that passes the same prompts, already encoded and sorted."""
    model = checkpoints.load_policy_model(ORM).eval()
    encoder = Encoder(
        checkpoints.load_tokenizer(ORM),
        max_prompt_tokens=MAX_PROMPT,
        max_action_tokens=8,
    )
    prompts = sorted(
        (
            encoder.encode_verdict(
                episode.instruction,
                [step.output for step in episode.transitions],
                episode.final_observation,
            )
            for episode in episodes
        ),
        key=len,
    )
    batches = [prompts[start : start + 8] for start in range(0, len(prompts), 8)]

    @torch.inference_mode()
    def run() -> None:
        for batch in batches:
            lengths = torch.tensor([len(prompt) for prompt in batch])  # (B,)
            ids = torch.zeros(len(batch), int(lengths.max()), dtype=torch.long)
            for row, prompt in enumerate(batch):
                ids[row, : len(prompt)] = torch.tensor(prompt)
            mask = torch.arange(ids.shape[1])[None] < lengths[:, None]  # (B, T)
            model(input_ids=ids, attention_mask=mask.long(), logits_to_keep=1)

    return run


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
