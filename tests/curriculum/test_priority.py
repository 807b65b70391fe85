from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


GROUP = Path("/proc/self/autogroup")
needs_groups = pytest.mark.skipif(
    not GROUP.exists(), reason="This system does not group processes by session."
)
STARTER = """
import os, subprocess, sys
from curriculum.rules.priority import share_priority
os.nice(int(sys.argv[1]))
sleep = [sys.executable, "-c", "input()"]
with subprocess.Popen(sleep, stdin=subprocess.PIPE, start_new_session=True) as child:
    share_priority(child.pid)
    told = open(f"/proc/{child.pid}/autogroup").read().split()[-1]
    print(told, os.nice(0))
    child.communicate(b"\\n")
"""


@needs_groups
@pytest.mark.parametrize("niceness", [0, 7])
def test_a_session_of_its_own_has_the_priority_of_who_starts_it(niceness: int) -> None:
    command = [sys.executable, "-c", STARTER, str(niceness)]
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.split()
    assert told[0] == told[1]


@needs_groups
def test_a_worker_in_somebody_elses_session_leaves_its_priority_alone() -> None:
    before = GROUP.read_text()
    lowered_by("rollouts")
    assert GROUP.read_text() == before
