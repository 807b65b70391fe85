"""The loop's decisions as a table."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum.models import Phase
from rollouts.selectors.loop import EpisodeCounts
from webrl_site.loop.phase_loop import Facts, next_stage

WAITING = EpisodeCounts(queued=1, finished=3)
RUNNING = EpisodeCounts(running=1, finished=3)
DONE = EpisodeCounts(finished=3, failed=1)
BROKEN = EpisodeCounts(failed=4)
SCORED = EpisodeCounts(finished=3)
UNSCORED = EpisodeCounts(finished=3, unscored=2)

TABLE: list[tuple[str, dict[str, Any], str]] = [
    ("planned", {"has_tasks": False}, "failed"),
    ("planned", {"needs_baseline": True}, "baseline"),
    ("planned", {"needs_baseline": False}, "collecting"),
    ("planned", {"needs_baseline": False, "can_train": False}, "closed"),
    ("planned", {"needs_baseline": True, "can_train": False}, "baseline"),
    ("baseline", {"baseline": WAITING}, "baseline"),
    ("baseline", {"baseline": DONE, "can_train": False}, "closed"),
    ("baseline", {"baseline": BROKEN, "can_train": False}, "failed"),
    ("baseline", {"baseline": RUNNING}, "baseline"),
    ("baseline", {"baseline": DONE}, "collecting"),
    ("baseline", {"baseline": BROKEN}, "failed"),
    ("collecting", {"collected": WAITING}, "collecting"),
    ("collecting", {"collected": DONE}, "scoring"),
    ("collecting", {"collected": BROKEN}, "failed"),
    ("scoring", {"collected": UNSCORED}, "scoring"),
    ("scoring", {"collected": SCORED}, "training"),
    ("training", {"has_next_policy": False}, "training"),
    ("training", {"has_next_policy": True}, "evaluating"),
    ("training", {"has_next_policy": True, "is_handed_over": False}, "handing_over"),
    ("handing_over", {"is_handed_over": False}, "handing_over"),
    ("handing_over", {"is_handed_over": True}, "evaluating"),
    ("evaluating", {"evaluated": WAITING}, "evaluating"),
    ("evaluating", {"evaluated": DONE}, "evolving"),
    ("evaluating", {"evaluated": BROKEN}, "failed"),
    ("evaluating", {}, "evolving"),
    ("evolving", {"is_evolved": False}, "evolving"),
    ("evolving", {"is_evolved": True, "unvalued": 2}, "evolving"),
    ("evolving", {"is_evolved": True}, "review"),
    ("evolving", {"uses_curriculum": False}, "closed"),
    ("review", {"waiting": 1}, "review"),
    ("review", {"waiting": 0}, "closed"),
    ("closed", {}, "closed"),
    ("stopped", {}, "stopped"),
    ("failed", {}, "failed"),
]


@pytest.mark.parametrize(("status", "facts", "expected"), TABLE)
def test_next_stage_follows_from_the_facts(
    status: str, facts: dict[str, Any], expected: str
) -> None:
    assert next_stage(status, Facts(**facts)) == expected


def test_every_status_is_in_the_table() -> None:
    assert {status for status, _, _ in TABLE} == set(Phase.Status.values)
