"""Trajectories as training reads them. No torch here."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Transition:
    """One step: what the policy read and what it wrote.

    Attributes:
        step_id: Database id of the step.
        history: Outputs of the earlier steps, oldest first.
        errors: For each of them, why the action failed, or "".
        observation: Simplified HTML of the page.
        output: The policy's answer, word for word.
        token_ids: The tokens that were sampled; empty where they are not known.
        token_log_probabilities: The log-probability of each when it was sampled.
    """

    step_id: int
    history: tuple[str, ...]
    errors: tuple[str, ...]
    observation: str
    output: str
    token_ids: tuple[int, ...] = ()  # (A,)
    token_log_probabilities: tuple[float, ...] = ()  # (A,)


@dataclasses.dataclass(frozen=True, slots=True)
class Trajectory:
    """One finished episode. `reward` is the ORM's 0 or 1, None before scoring."""

    trajectory_id: int
    task_id: int
    instruction: str
    transitions: tuple[Transition, ...]
    final_observation: str
    reward: float | None = None  # R, 0 or 1
