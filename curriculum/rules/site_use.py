"""The rule for when an instance of an external site is reset to its first state."""

from __future__ import annotations

import dataclasses
from typing import Literal

ResetsWhen = Literal["per_task", "per_episodes", "per_phase"]


@dataclasses.dataclass(frozen=True, slots=True)
class SiteUse:
    """How a run's episodes use external sites.

    Attributes:
        every: Reset after so many episodes that may change the instance; None resets
            once for each stage of a phase that has episodes.
        shares: Several episodes may change an instance at once.
    """

    every: int | None = 1
    shares: bool = False

    def is_due(self, changes: int, changed_in: str, stage: str) -> bool:
        """Say whether an instance needs its reset before an episode of `stage`.

        `changes` counts the episodes that may have changed it since its last reset,
        `changed_in` is the stage of the last one.

        >>> SiteUse(every=3).is_due(2, "1/collect", "1/evaluate")
        False
        >>> SiteUse(every=None).is_due(2, "1/collect", "1/evaluate")
        True
        """
        if self.every is None:
            return changes > 0 and changed_in != stage
        return changes >= self.every

    def count_resets(self, changing: int, stages: int, instances: int) -> int:
        """Return the largest number of resets that so many changing episodes need.

        `stages` of a phase have episodes; each begins on `instances` instances.

        >>> SiteUse(every=10).count_resets(324, stages=2, instances=4)
        33
        """
        if self.every is None:
            return min(changing, stages * instances)
        return -(-changing // self.every)


def read_site_use(when: ResetsWhen, episodes: int, *, shares: bool) -> SiteUse:
    """Return the rule that a run's settings name."""
    every = {"per_task": 1, "per_episodes": episodes, "per_phase": None}[when]
    return SiteUse(every, shares)
