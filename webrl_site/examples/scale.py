"""How many example rows there are."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of the example.

    Attributes:
        runs: Runs; the newest one's last phase waits for review.
        phases: Phases of each run.
        collected: Training episodes of a phase.
        evaluated: Test episodes of a phase.
        steps: Steps of an episode.
        evolved: Evolved tasks of a phase, a tenth of them waiting for review where
            the phase is in review.
        metric_steps: Optimiser steps of a training.
    """

    runs: int
    phases: int
    collected: int
    evaluated: int
    steps: int
    evolved: int
    metric_steps: int

    @property
    def episodes(self) -> int:
        """Episodes of all phases."""
        return self.runs * self.phases * (self.collected + self.evaluated)


SCALES = {
    "small": Scale(2, 3, 60, 60, 6, 20, 40),
    # The size at which pages must stay fast: 10k tasks, 50k episodes, 500k steps.
    "large": Scale(10, 10, 335, 165, 10, 80, 60),
}
