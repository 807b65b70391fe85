"""Which past successes to train on again (paper, section 3.3).

Only steps of successful trajectories are candidates. A step joins when its perplexity
under the previous phase's policy lies within the band; at most `ratio` times the
phase's own steps are drawn, uniformly.

The previous phase's policy is the one that collected this phase. Deviation from the
released code: every success of a task is a candidate, not one of each instruction.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

TOO_FAMILIAR = "too familiar: perplexity below the band"
TOO_HARD = "too hard: perplexity above the band"
NOT_DRAWN = "in the band, not drawn: the phase's share of replay was full"


@dataclasses.dataclass(frozen=True, slots=True)
class ReplayChoice:
    """Positions of the chosen candidates, and why each of the others is left out."""

    chosen: list[int]
    left_out: dict[int, str]


def choose_replay(
    perplexities: Sequence[float],
    *,
    low: float,
    high: float,
    limit: int,
    seed: int,
) -> ReplayChoice:
    """Choose at most `limit` candidates whose perplexity is in [low, high]."""
    left_out: dict[int, str] = {}
    inside: list[int] = []
    for position, value in enumerate(perplexities):
        # Both ends belong to the band: low <= perplexity <= high.
        if value < low:
            left_out[position] = TOO_FAMILIAR
        elif value > high:
            left_out[position] = TOO_HARD
        else:
            inside.append(position)
    # Shuffled and cut: every candidate inside the band is as likely as any other.
    random.Random(seed).shuffle(inside)
    chosen, rest = inside[:limit], inside[limit:]
    left_out.update(dict.fromkeys(rest, NOT_DRAWN))
    return ReplayChoice(sorted(chosen), left_out)  # in the order of the candidates
