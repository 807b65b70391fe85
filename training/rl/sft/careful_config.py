"""Every number of the careful demonstrations, and of cloning a pretrained model."""

from __future__ import annotations

import dataclasses
from typing import Any

from curriculum.rules.setting import check_range, setting

SITES = ("atlas", "backoffice", "forum", "projects", "shop")


@dataclasses.dataclass(frozen=True)
class CarefulConfig:
    """Which training tasks the scripted solver plays."""

    sites: tuple[str, ...] = SITES
    per_template: int = setting(
        8, "Tasks of each template, the first ones.", low=1, high=1000
    )
    max_steps: int = setting(
        12, "Tasks with a longer shortest way are left out.", low=1, high=99
    )
    contexts: int = setting(4, "Browser contexts at once.", low=1, high=64)
    seed: int = setting(0, "Of episodes and training.", low=0, high=2**31 - 1)

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field and the range."""
        for field in dataclasses.fields(self):
            if field.metadata:
                check_range(field, getattr(self, field.name))


# A model of 135M with adapters on two cores: rank 16 at 1e-3 took the loss of 1,232
# steps from 1.93 to 0.19 in one pass (docs/pretrained.md).
CLONING_SFT: dict[str, Any] = {"learning_rate": 1e-3, "epochs": 3, "batch_size": 32}
CLONING_ALGORITHM: dict[str, Any] = {
    "lora_rank": 16,
    "precision": "native",
    "micro_batch_size": 4,
    "max_prompt_tokens": 1024,
    "max_action_tokens": 64,
    "save_every_s": 300.0,
}
