"""The types of which an objective is made.

An objective defines which steps of a phase count, with which advantage (`targets`),
and the loss of each of them (`loss`). Both are pure functions; data,
critic, replay, optimiser and metrics are the same for every objective.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from training.rl.webrl_config import WebRLConfig

if TYPE_CHECKING:
    import torch


@dataclasses.dataclass(frozen=True, slots=True)
class Actions:
    """A batch of actions; A is the number of tokens of the longest of them.

    Attributes:
        log_probabilities: log pi_theta of each token, (B, A).
        reference: log pi_ref of each token, (B, A).
        behaviour: log-probability of each token when it was sampled, (B, A).
        advantage: The advantage of the whole action, (B,).
        mask: True where there is a token, (B, A); elsewhere the others are 0.
    """

    log_probabilities: torch.Tensor  # (B, A)
    reference: torch.Tensor  # (B, A)
    behaviour: torch.Tensor  # (B, A)
    advantage: torch.Tensor  # (B,)
    mask: torch.Tensor  # (B, A)

    @property
    def log_probability(self) -> torch.Tensor:
        """Log pi_theta(a | s, I), the sum over the action's tokens, (B,)."""
        return self.log_probabilities.sum(dim=1)  # (B,)

    @property
    def log_ratio(self) -> torch.Tensor:
        """Log pi_theta(a | s, I) - log pi_ref(a | s, I), (B,)."""
        # The logarithm of eq. 7's ratio, over the whole action; (B,).
        return (self.log_probabilities - self.reference).sum(dim=1)

    @property
    def token_count(self) -> torch.Tensor:
        """Tokens of each action, (B,)."""
        return self.mask.sum(dim=1)  # (B,)


@dataclasses.dataclass(frozen=True, slots=True)
class Episode:
    """What the targets of an episode's steps depend on.

    Attributes:
        task_id: Episodes of one task form a group.
        outcome: R, 0 or 1.
        values: V(s_t) of each step, in [0, 1].
        final_value: V of the page after the last step; 0 unless the objective uses it.
    """

    task_id: int
    outcome: float
    values: tuple[float, ...]
    final_value: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """What one step is trained towards.

    Attributes:
        advantage: A(s, a, I).
        weight: The step's weight in the mean of all losses; 1 if all weigh the same.
        left_out: Why the step does not count, or "".
    """

    advantage: float
    weight: float = 1.0
    left_out: str = ""


# One list of targets for each episode, one target for each of its steps.
Targets = Callable[[Sequence[Episode], WebRLConfig], list[list[Target]]]
# The loss of each row, (B,); the trainer weighs and averages.
Loss = Callable[[Actions, WebRLConfig], "torch.Tensor"]


@dataclasses.dataclass(frozen=True, slots=True)
class Objective:
    """One row of the table.

    Attributes:
        name: The value of `WebRLConfig.objective`.
        paper: Where it comes from.
        formula: What is minimised, for one step.
        targets: Gives the advantages of the phase's steps and leaves some out.
        loss: Loss of each row, (B,).
        test: The module that compares it with values computed by hand.
        uses_replay: Whether past successes join, where the run's settings allow it.
        replays_all: Whether they all join, regardless of their perplexity and number.
        begins_anew: Whether theta starts at the run's first policy instead of pi_ref.
        uses_final_value: Whether V of each last page is needed.
        has_kl: Whether `use_kl` changes it.
        reads_reference: Whether its loss reads log pi_ref. Where it does not, pi_ref
            is computed only for the charts.
        reads_values: Whether its targets read V. If they do not, and the run does
            not train its critic, no step is valued.
    """

    name: str
    paper: str
    formula: str
    targets: Targets
    loss: Loss
    test: str
    uses_replay: bool = False
    replays_all: bool = False
    begins_anew: bool = False
    uses_final_value: bool = False
    has_kl: bool = False
    reads_reference: bool = True
    reads_values: bool = True
