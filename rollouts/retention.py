"""How long evidence is kept: a rule for each kind of file. Pure; 0 means forever."""

from __future__ import annotations

import dataclasses
import datetime as dt

GIB = 2**30


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """Which files of one kind are removed.

    Attributes:
        kind: One of `EvidenceKind`.
        days: Those of episodes that ended more days ago; 0 for none.
        gib: The oldest, while all together take more GiB; 0 for none.
    """

    kind: str
    days: int = 0
    gib: int = 0

    @property
    def is_on(self) -> bool:
        return bool(self.days or self.gib)

    def cut_off(self, now: dt.datetime) -> dt.datetime | None:
        """Return the moment before which an episode is too old; None for none."""
        try:
            return now - dt.timedelta(days=self.days) if self.days else None
        except OverflowError:
            # More days than the calendar has: nothing is that old.
            return None

    def excess(self, used: int) -> int:
        """Return the bytes above the limit; 0 without one."""
        return max(used - self.gib * GIB, 0) if self.gib else 0
