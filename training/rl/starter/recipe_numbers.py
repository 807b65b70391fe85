"""Every number of the recipe."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Every number of the recipe; stored with the models it made."""

    seed: int = 0
    induction_steps: int = 550
    induction_learning_rate: float = 3e-3
    records_steps: int = 450
    records_learning_rate: float = 2e-3
    tagged_steps: int = 150
    tagged_learning_rate: float = 2e-3
    reading_steps: int = 260
    reading_learning_rate: float = 1.5e-3
    demonstrations_per_template: int = 8
    demonstration_max_steps: int = 12
    practice_pages: int = 1
    practice_demonstrated_steps: int = 25
    policy_steps: int = 2300
    policy_learning_rate: float = 2e-3
    practice_steps: int = 3000
    practice_learning_rate: float = 2e-3
    noisy_rounds: int = 1
    judged_rounds: int = 1
    reward_model_steps: int = 1000
    reward_model_learning_rate: float = 1e-3
    values_steps: int = 500
    values_learning_rate: float = 5e-4
    critic_steps: int = 100
    heads_learning_rate: float = 5e-4
