"""Who waits when the processor is short: episodes and trainings, not people.

A phase keeps every core busy for hours, and a page needs one for milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Collection

BACKGROUND_QUEUES = frozenset({"rollouts", "training"})
# Of 0 to 19: the share of a core is about a tenth of a page's where both want it.
NICENESS = 10


def lower_priority(queues: Collection[str]) -> None:
    """Lower this process's priority where it works for a queue of the background.

    What it starts (browsers, trainings) inherits it.
    """
    if BACKGROUND_QUEUES.intersection(queues):
        os.nice(NICENESS)
