from __future__ import annotations

import subprocess
import sys

import pytest

from curriculum.rules.priority import NICENESS

SCRIPT = """
import os, sys
from curriculum.rules.priority import lower_priority
before = os.nice(0)
lower_priority(sys.argv[1:])
print(os.nice(0) - before)
"""


def lowered_by(*queues: str) -> int:
    """In a process of its own: a priority that was lowered cannot be raised again."""
    command = [sys.executable, "-c", SCRIPT, *queues]
    return int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.parametrize("queue", ["rollouts", "training"])
def test_workers_of_episodes_and_trainings_lower_priority(queue: str) -> None:
    assert lowered_by("loop", queue) == NICENESS


def test_people_and_the_loop_are_served_at_the_usual_priority() -> None:
    assert lowered_by("loop", "takeover", "sites") == 0
