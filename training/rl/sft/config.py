"""Every number of SFT on demonstrations, with its meaning, range and source.

The defaults are the paper's for 8B (table 6); batches are made of demonstrated steps.
Context and micro-batch are the algorithm's (`WebRLConfig`).
"""

from __future__ import annotations

import dataclasses

from curriculum.rules.setting import check_range, setting


@dataclasses.dataclass(frozen=True)
class SftConfig:
    """How a policy learns from demonstrations."""

    # The paper's table 6. Cosine schedule and warm-up are in `sft.imitation`.
    learning_rate: float = setting(
        1e-5, "Peak (for 8B; small models want more). Paper: 1e-5.", low=0, high=1
    )
    epochs: int = setting(1, "Passes over the steps. Paper: 1.", low=1, high=100)
    batch_size: int = setting(
        128, "Demonstrated steps per optimiser step. Paper: 128.", low=1, high=10**6
    )

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field and the range."""
        for field in dataclasses.fields(self):
            check_range(field, getattr(self, field.name))
