"""Demonstrations by people in a hurry: what leaves the starting policy weak.

Not everybody who shows an agent how to work sees the task through: HURRIED_SHARE of
the demonstrations stop one action short. A policy that imitates them can do the rest
and has the habit of leaving early. Imitation cannot tell the two apart; outcomes can.
"""

from __future__ import annotations

import dataclasses
import random

from training.rl.types import Trajectory

HURRIED_SHARE = 2 / 3
LEAVE = 'exit(message="")'


def hurry(rng: random.Random, shown: Trajectory) -> Trajectory:
    """`shown`, or HURRIED_SHARE of the time without its last action.

    A demonstration that only answers is left as it is.
    """
    if len(shown.transitions) < 2 or rng.random() >= HURRIED_SHARE:
        return shown
    last = dataclasses.replace(shown.transitions[-2], output=LEAVE)
    return dataclasses.replace(
        shown,
        transitions=(*shown.transitions[:-2], last),
        final_observation=last.observation,
        reward=0.0,
    )
