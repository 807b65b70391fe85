"""The two updates of a phase: the critic's (equation 8) and the policy's (equation 7).

The objective defines the loss of the policy's update; see `objectives.table`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from training.rl import metric_names as names
from training.rl.batching import Batch
from training.rl.critic import Critic
from training.rl.encoding import Example
from training.rl.objectives.table import OBJECTIVES
from training.rl.objectives.types import Actions
from training.rl.phase.losses import critic_loss, kl_estimate
from training.rl.phase.steps import StepRow
from training.rl.policy import (
    CausalLM,
    action_log_probabilities,
    switch_off_dropout,
)
from training.rl.trainers import RowTrainer
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig


@dataclasses.dataclass(frozen=True, slots=True)
class CriticRow:
    """One state with its episode's outcome, 0 or 1."""

    example: Example
    outcome: float


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyRow:
    """One state and action with the numbers that the losses need.

    Attributes:
        example: Prompt and action.
        advantage: A(s, a, I), as the objective defines it.
        reference: Log-probability of each of the action's tokens under pi_ref; empty
            for copies of steps if the objective does not read it.
        behaviour: The same at the time when the action was sampled.
        weight: The row's weight in the mean of all losses.
    """

    example: Example
    advantage: float
    reference: tuple[float, ...]
    behaviour: tuple[float, ...]
    weight: float = 1.0

    @classmethod
    def of(cls, row: StepRow) -> PolicyRow:
        """Return what the policy's update reads of a used step."""
        return cls(
            row.example,
            advantage=row.advantage or 0.0,
            reference=row.reference,
            # The policy that acted is pi_ref: its recomputed numbers are used.
            behaviour=row.recorded or row.reference,
            weight=row.weight,
        )


def find_trained(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the state that training changes: a resumed one has the rest already."""
    named = model.named_parameters()
    frozen = {name for name, weight in named if not weight.requires_grad}
    state = model.state_dict()
    return {name: state[name] for name in state if name not in frozen}


class CriticTrainer(RowTrainer[Critic, CriticRow]):
    """Binary cross-entropy against the outcome (paper, equation 8)."""

    learning_rate_setting = "critic_learning_rate"

    def _save(
        self, output_dir: str | None = None, state_dict: dict[str, Any] | None = None
    ) -> None:
        # The library knows adapters only of its own models: it would save the frozen
        # body of 8B, 32 GB, with each checkpoint.
        if state_dict is None:
            state_dict = find_trained(self.model)
        super()._save(output_dir, state_dict)

    def _issue_warnings_after_load(self, load_result: Any) -> None:
        # Frozen weights are missing on purpose.
        missing = find_trained(self.model).keys() & set(load_result.missing_keys)
        if missing:
            raise TrainingDataError(f"The checkpoint lacks {sorted(missing)}.")

    def row_losses(
        self, model: Critic, batch: Batch, rows: list[CriticRow]
    ) -> torch.Tensor:
        """Loss of each row, (B,)."""
        # R of each state's episode, (B,).
        outcome = torch.tensor([row.outcome for row in rows], device=batch.ids.device)
        logits = model(batch)  # (B, 2)
        loss = critic_loss(logits, outcome)  # (B,), eq. 8
        values = torch.sigmoid(logits).amin(dim=1)  # V(s, I), (B,)
        self.collect(names.CRITIC_LOSS, loss)
        self.collect(names.VALUE, values)
        # 0.5: the more likely of the two outcomes.
        self.collect(names.CRITIC_ACCURACY, (values > 0.5) == (outcome > 0.5))
        return loss


class PolicyTrainer(RowTrainer[CausalLM, PolicyRow]):
    """The update of the policy, for the objective that the configuration names."""

    reports_gradient_norm = True
    learning_rate_setting = "policy_learning_rate"

    def __init__(self, model: nn.Module, *args: Any, **options: Any) -> None:
        """Bind a model, without its dropout, and what every trainer of rows takes."""
        switch_off_dropout(model)
        super().__init__(model, *args, **options)

    def row_losses(
        self, model: CausalLM, batch: Batch, rows: list[PolicyRow]
    ) -> torch.Tensor:
        """Loss of each row, (B,)."""
        current, mask = action_log_probabilities(model, batch)  # (B, A), (B, A)
        actions = make_actions(rows, current, mask)  # log pi_theta and log pi_ref
        loss = weigh_losses(actions, rows, self.config)  # (B,)
        self.collect(names.POLICY_LOSS, loss)
        # Copies of imitated steps have no pi_ref to compare with, (B,).
        is_known = current.new_tensor([bool(row.reference) for row in rows]).bool()
        self.collect(names.KL, kl_estimate(actions.log_ratio), is_known)
        # exp of minus the mean over an action's tokens, (B,).
        perplexity = (-actions.log_probability / actions.token_count).exp()
        self.collect(names.PERPLEXITY, perplexity)
        return loss

    def watch(self, name: str, mean: float) -> None:
        """Stop once the policy is far enough from the reference.

        An update that begins at the run's first policy is far from it at once.
        """
        if OBJECTIVES[self.config.objective].begins_anew:
            return
        if name == names.KL and 0 < self.config.max_kl < mean:
            self.control.should_training_stop = True
            # Resumed from a checkpoint of this step, the update would go on after it.
            self.control.should_save = False


def make_actions(
    rows: Sequence[PolicyRow], current: torch.Tensor, mask: torch.Tensor
) -> Actions:
    """Return what an objective reads of a batch: its rows and log pi_theta, (B, A)."""
    return Actions(
        log_probabilities=current,  # (B, A)
        reference=_pad([row.reference for row in rows], current),  # (B, A)
        behaviour=_pad([row.behaviour for row in rows], current),  # (B, A)
        advantage=current.new_tensor([row.advantage for row in rows]),  # (B,)
        mask=mask,  # (B, A)
    )


def weigh_losses(
    actions: Actions, rows: Sequence[PolicyRow], config: WebRLConfig
) -> torch.Tensor:
    """The objective's loss of each row times the row's weight, (B,)."""
    weight = actions.advantage.new_tensor([row.weight for row in rows])  # (B,)
    return OBJECTIVES[config.objective].loss(actions, config) * weight


def measure_objective(
    rows: Sequence[PolicyRow], current: Sequence[Sequence[float]], config: WebRLConfig
) -> float:
    """The objective's mean over all rows, given log pi_theta of their tokens."""
    width = max(len(row) for row in current)
    counts = torch.tensor([len(row) for row in current])  # (B,)
    mask = torch.arange(width)[None, :] < counts[:, None]  # (B, A)
    # float64: before and after an update differ in late digits.
    values = _pad(current, torch.zeros(mask.shape, dtype=torch.float64))  # (B, A)
    losses = weigh_losses(make_actions(rows, values, mask), rows, config)
    return float(losses.mean())


def _pad(rows: Sequence[Sequence[float]], like: torch.Tensor) -> torch.Tensor:
    """Return rows of numbers padded with zeros on the right, like `like`, (B, A)."""
    # Zeros add nothing to a row's sum; the mask keeps them out of its mean.
    width = like.shape[1]
    return like.new_tensor([[*row, *[0.0] * (width - len(row))] for row in rows])
