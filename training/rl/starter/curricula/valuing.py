"""The critic from the policy's own episodes.

It starts from the reward model, which has learnt to compare, and learns to predict the
outcome from every state of an episode (paper, equation 8).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch

from training.rl.batching import collate
from training.rl.critic import Critic
from training.rl.encoding import Encoder, Example
from training.rl.orm.reward_model import verdict_token_ids
from training.rl.phase.augmentation import augment
from training.rl.phase.losses import critic_loss
from training.rl.starter.curricula.hard_negatives import astray
from training.rl.starter.curricula.sequences import GIVEN, TARGET, MaskedSequence
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.fitting import schedule
from training.rl.types import Trajectory

# Of a batch of states, those that have gone astray.
ASTRAY_SHARE = 0.2


class OwnStates:
    """Batches of states of the policy's own episodes, under other names.

    Outcomes keep their shares, because V is a probability.
    """

    def __init__(
        self,
        encoder: Encoder,
        episodes: Sequence[RecordedEpisode],
        words: Sequence[str],
        batch_size: int,
        seed: int,
    ) -> None:
        """Bind the episodes; every step of every episode is equally likely."""
        self._encoder, self._words, self._size = encoder, words, batch_size
        self._rng = random.Random(seed)
        self._verdicts = verdict_token_ids(encoder.tokenizer)
        self._states = [
            (e.trajectory, number, e.outcome)
            for e in episodes
            for number in range(len(e.trajectory.transitions))
        ]
        self._successes = [row for row in self._states if row[2]]

    def draw(self) -> list[tuple[Example, bool]]:
        """Draw states with the outcomes of their episodes."""
        rng = self._rng
        rows: list[tuple[Example, bool]] = []
        while len(rows) < self._size:
            if self._successes and rng.random() < ASTRAY_SHARE:
                shown, number, _ = rng.choice(self._successes)
                found = astray(
                    rng, augment(rng, shown, self._words), number, self._words
                )
                if found is not None:
                    rows.append((self._state(found, number), False))
                continue
            shown, number, outcome = rng.choice(self._states)
            state = self._state(augment(rng, shown, self._words), number)
            rows.append((state, outcome))
        return rows

    def next_batch(self) -> list[MaskedSequence]:
        """The same with the outcome as a word after the state."""
        yes, no = self._verdicts
        return [
            MaskedSequence(
                (*state.ids, yes if outcome else no),
                (*(GIVEN,) * len(state.ids), TARGET),
            )
            for state, outcome in self.draw()
        ]

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""

    def _state(self, trajectory: Trajectory, number: int) -> Example:
        step = trajectory.transitions[number]
        ids = self._encoder.encode_prompt(
            trajectory.instruction, step.history, step.errors, step.observation
        )
        return Example(tuple(ids), len(ids))


def train_heads(
    critic: Critic,
    states: OwnStates,
    *,
    pad_id: int,
    steps: int,
    learning_rate: float,
    on_step: Callable[[int, float, float], None],
) -> None:
    """Fit V to the outcome of states with the method's own loss (paper, eq. 8)."""
    optimizer = torch.optim.AdamW(
        critic.parameters(), lr=learning_rate, weight_decay=0.0
    )
    critic.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * schedule(step, steps)
        drawn = states.draw()
        outcomes = torch.tensor([float(outcome) for _, outcome in drawn])  # (B,)
        batch = collate([state for state, _ in drawn], range(len(drawn)), pad_id=pad_id)
        logits = critic(batch)  # (B, 2)
        loss = critic_loss(logits, outcomes).mean()  # eq. 8
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        optimizer.step()
        # logit 0 is V = 0.5; the smaller head decides. (B,)
        hits = (logits.amin(1) > 0).float() == outcomes
        on_step(step, float(loss.detach()), float(hits.float().mean()))
