"""R7: every message arrives three times, in any order."""

from __future__ import annotations

import random

from drills.faults.content import digest, name_differences
from drills.faults.one_process import Broker
from drills.faults.phases import begin_anew, run_here, write_first
from drills.outcome import Outcome

TIMES = 3
SEEDS = (1, 2, 3)


def measure() -> Outcome:
    """Run the same phase once normally, and three times with triple messages."""
    phase_id = write_first()
    begin_anew()
    expected = run_here(phase_id, Broker())
    wrong = []
    for seed in SEEDS:
        begin_anew()
        broker = Broker(copies=TIMES, draw=random.Random(seed))
        found = run_here(phase_id, broker)
        if found != expected:
            wrong.append(f"shuffle {seed}: other {name_differences(expected, found)}")
    text = (
        f"{len(SEEDS) - len(wrong)} of {len(SEEDS)} shuffles with each message {TIMES} "
        f"times made the same rows ({digest(expected)[:12]})"
    )
    return Outcome(text, not wrong, "; ".join(wrong))
