from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from rollouts.models import RemovedEvidence, Trajectory
from rollouts.retention import Rule
from rollouts.selectors.evidence_counts import (
    Evidenced,
    count_evidence,
    count_pinned,
)
from tests.rollouts.test_retention import PINS, judged, keep, of_a_kept_run, play

pytestmark = pytest.mark.django_db
MONTH = Rule("screenshot", days=30)


def record(folder: Path, days_ago: int = 60) -> Trajectory:
    picture = keep(folder, b"picture")
    return play(folder, b"picture", days_ago=days_ago, final_screenshot=picture)


def count(rule: Rule = MONTH) -> Evidenced:
    return count_evidence([rule], timezone.now())[rule.kind]


def test_old_and_new_episodes_are_counted(folder: Path):
    record(folder)
    record(folder, days_ago=3)

    assert count() == Evidenced(episodes=2, unpinned=2, old=1)
    assert count(Rule("screenshot")).old == 0
    assert count(Rule("trace", days=30)) == Evidenced(0, 0, 0)


@pytest.mark.parametrize("pin", PINS)
def test_a_pinned_episode_does_not_count_as_going(pin: Any, folder: Path):
    pin(record(folder))

    assert count() == Evidenced(episodes=1, unpinned=0, old=0)


def test_an_episode_that_is_pinned_twice_is_taken_off_once(folder: Path):
    row = record(folder)
    record(folder)
    of_a_kept_run(row)
    judged(row)
    judged(row)

    assert count() == Evidenced(episodes=2, unpinned=1, old=1)
    pins = count_pinned()
    assert (pins["run"], pins["judged"]) == (1, 1)


def test_what_has_gone_is_not_counted(folder: Path):
    RemovedEvidence.objects.create(trajectory=record(folder), kind="screenshot")

    assert count().episodes == 0
