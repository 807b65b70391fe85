"""What an action did."""

from __future__ import annotations

import dataclasses
from typing import Any

Box = tuple[float, float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class ActOutcome:
    """What an action did: `error` is shown to the agent, "" when it was carried out.

    `least_ms` is the shortest time for which the page should be watched.
    """

    error: str = ""
    target_box: Box | None = None
    least_ms: int = 0


def done(found: dict[str, Any]) -> ActOutcome:
    """Return the outcome of what was done with an element in the page."""
    x, y, width, height = found["box"]
    return ActOutcome(target_box=(x, y, width, height))
