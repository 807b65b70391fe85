"""How each number of training may run in the examples: shape, noise and range.

Made up, but possible: an accuracy stays between 0 and 1, a perplexity above 1, and the
KL from the previous policy begins at 0 in every phase.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from random import Random
from typing import Final

from training.rl import metric_names as names


@dataclasses.dataclass(frozen=True, slots=True)
class Curve:
    """From `first` to `last`, quickly at the start, with noise, within a range."""

    first: float
    last: float
    noise: float
    low: float = 0.0
    high: float = math.inf

    def draw(self, rng: Random, steps: int) -> Iterator[float]:
        """Yield one value a step; ends differ a little from phase to phase."""
        last = self.last * rng.uniform(0.85, 1.15)
        for step in range(steps):
            left = math.exp(-4 * step / steps)
            value = last + (self.first - last) * left + rng.gauss(0, self.noise)
            yield min(self.high, max(self.low, value))


CURVES: Final = {
    names.POLICY_LOSS: Curve(1.1, 0.5, 0.05),
    names.CRITIC_LOSS: Curve(0.69, 0.42, 0.03),
    names.KL: Curve(0.0, 0.05, 0.004),
    names.PERPLEXITY: Curve(1.6, 1.3, 0.04, low=1.0),
    names.GRADIENT_NORM: Curve(2.4, 0.9, 0.2),
    names.VALUE: Curve(0.3, 0.45, 0.02, high=1.0),
    names.ADVANTAGE: Curve(0.0, 0.06, 0.03, low=-1.0, high=1.0),
    names.ADVANTAGE_OF_SUCCESSES: Curve(0.15, 0.3, 0.03, low=-1.0, high=1.0),
    names.ADVANTAGE_OF_FAILURES: Curve(-0.1, -0.2, 0.03, low=-1.0, high=1.0),
    names.CRITIC_ACCURACY: Curve(0.6, 0.8, 0.03, high=1.0),
    names.FRESH_STEPS: Curve(42, 42, 3),
    names.REPLAYED_STEPS: Curve(22, 22, 3),
    names.DEMONSTRATED_STEPS: Curve(0, 0, 0),
    names.AUGMENTED_STEPS: Curve(0, 0, 0),
    names.RECORD_MISMATCH: Curve(0.001, 0.001, 0.0005),
    names.MISMATCHED_STEPS: Curve(0, 0, 0),
    names.TOO_LONG_STEPS: Curve(0, 0, 0),
    names.UNRECORDED_STEPS: Curve(0, 0, 0),
    names.OBJECTIVE_BEFORE: Curve(0.09, 0.06, 0.005),
    names.OBJECTIVE_AFTER: Curve(0.06, 0.04, 0.005),
    names.UNREACHABLE_TARGETS: Curve(0.4, 0.5, 0.03),
    names.POLICY_STEPS: Curve(24, 24, 0),
}
