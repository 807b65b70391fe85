"""Last stages: the reward model and the critic, from labelled episodes.

Both start from the policy's weights. The reward model learns to say YES or NO after
instruction, actions and last page (paper, section 3.2); the critic learns the outcome
from every state on the way (paper, equation 8).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import torch

from training.rl.batching import collate
from training.rl.critic import Critic
from training.rl.encoding import Encoder, Example
from training.rl.losses import critic_loss
from training.rl.reward_model import NO, YES, verdict_token_ids
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.fitting import fit, schedule
from training.rl.starter.sequences import GIVEN, TARGET, MaskedSequence
from training.rl.starter.varying import vary


def train_reward_model(
    model: Any,
    encoder: Encoder,
    episodes: Sequence[RecordedEpisode],
    words: Sequence[str],
    *,
    steps: int,
    learning_rate: float,
    batch_size: int,
    seed: int,
    on_step: Callable[[int, float, float], None],
) -> None:
    """Train in place on batches that mix both outcomes, under other names."""
    fit(
        model,
        MixedOutcomes(encoder, episodes, words, batch_size, seed),
        steps=steps,
        learning_rate=learning_rate,
        on_step=on_step,
    )


def train_starter_critic(
    critic: Critic,
    encoder: Encoder,
    episodes: Sequence[RecordedEpisode],
    *,
    steps: int,
    learning_rate: float,
    batch_size: int,
    seed: int,
    on_step: Callable[[int, float, float], None],
) -> None:
    """Fit V to the outcome of the policy's own episodes."""
    rows = [
        (encoder.encode_prompt(t.instruction, s.history, s.errors, s.observation), e)
        for e in episodes
        for t in (e.trajectory,)
        for s in t.transitions
    ]
    examples = [Example(tuple(ids), len(ids)) for ids, _ in rows]
    outcomes = torch.tensor([float(episode.outcome) for _, episode in rows])
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(
        critic.parameters(), lr=learning_rate, weight_decay=0.0
    )
    critic.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * schedule(step, steps)
        index = rng.sample(range(len(rows)), min(batch_size, len(rows)))
        batch = collate(examples, index, pad_id=encoder.tokenizer.pad_token_id)
        logits = critic(batch)
        loss = critic_loss(logits, outcomes[index]).mean()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        optimizer.step()
        hits = (logits.amin(1) > 0).float() == outcomes[index]
        on_step(step, float(loss.detach()), float(hits.float().mean()))


# A judge that saw more successes than there are says YES too often to a policy that
# mostly fails, and a wrong YES is what training cannot undo.
SUCCESS_SHARE = 0.2


class MixedOutcomes:
    """Batches with SUCCESS_SHARE successes, each episode with other names.

    Exchanging the names that the instruction gives changes no outcome, and a judge
    that knows the tasks by heart is wrong about the next ones.
    """

    def __init__(
        self,
        encoder: Encoder,
        episodes: Sequence[RecordedEpisode],
        words: Sequence[str],
        batch_size: int,
        seed: int,
    ) -> None:
        """Check that both outcomes are there."""
        yes, no = verdict_token_ids(encoder.tokenizer)
        self._verdicts = {True: yes, False: no}
        self._episodes = {
            outcome: [e.trajectory for e in episodes if e.outcome is outcome]
            for outcome in (True, False)
        }
        if not all(self._episodes.values()):
            raise ValueError(f"Both outcomes are needed to learn {YES} and {NO}.")
        successes = round(SUCCESS_SHARE * batch_size)
        self._counts = {True: successes, False: batch_size - successes}
        self._encoder, self._words = encoder, words
        self._rng = random.Random(seed)

    def next_batch(self) -> list[MaskedSequence]:
        """Successes, then failures."""
        return [
            self._sequence(outcome)
            for outcome, count in self._counts.items()
            for _ in range(count)
        ]

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""

    def _sequence(self, outcome: bool) -> MaskedSequence:
        shown = self._rng.choice(self._episodes[outcome])
        trajectory = vary(self._rng, shown, self._words)
        ids = self._encoder.encode_verdict(
            trajectory.instruction,
            [step.output for step in trajectory.transitions],
            trajectory.final_observation,
        )
        parts = (GIVEN,) * len(ids) + (TARGET,)
        return MaskedSequence((*ids, self._verdicts[outcome]), parts)
