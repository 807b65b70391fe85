"""Every number of SFT on demonstrations, with its meaning, range and source.

The defaults are the paper's for 8B (table 6); batches are made of demonstrated steps.
Context and micro-batch are the algorithm's (`WebRLConfig`).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from training.rl.webrl_config import check_range


def _setting(default: Any, text: str, low: float, high: float) -> Any:
    return dataclasses.field(
        default=default, metadata={"help": text, "low": low, "high": high}
    )


@dataclasses.dataclass(frozen=True)
class SftConfig:
    """How a policy learns from demonstrations."""

    learning_rate: float = _setting(
        1e-5, "Peak (for 8B; small models want more). Paper: 1e-5.", 0, 1
    )
    epochs: int = _setting(1, "Passes over the steps. Paper: 1.", 1, 100)
    batch_size: int = _setting(
        128, "Demonstrated steps per optimiser step. Paper: 128.", 1, 10**6
    )

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field and the range."""
        for field in dataclasses.fields(self):
            check_range(field, getattr(self, field.name))
