from __future__ import annotations

from typing import Any

import pytest

from benchmarks.learning.sampled import compare


def attempts(**outcomes: list[int]) -> list[dict[str, Any]]:
    return [
        {"key": key, "template": key, "outcome": bool(outcome)}
        for key, found in outcomes.items()
        for outcome in found
    ]


BEFORE = attempts(lamp=[1, 0], mug=[0, 0])


def test_the_gain_is_the_mean_over_tasks():
    found = compare(BEFORE, [attempts(lamp=[1, 1], mug=[0, 1])])
    assert found[1].difference.mean == pytest.approx(0.5)
    assert found[2].difference.mean == pytest.approx(0.5)
    assert (found[1].lost, found[1].won) == (0, 2)


def test_seeds_are_averaged_task_by_task():
    up, down = attempts(lamp=[1, 1], mug=[0, 0]), attempts(lamp=[0, 0], mug=[0, 0])
    assert compare(BEFORE, [up, down])[1].difference.mean == pytest.approx(0)


def test_k_needs_as_many_attempts_at_every_task():
    assert list(compare(BEFORE, [attempts(lamp=[1], mug=[0, 1])])) == [1]


def test_other_tasks_are_not_compared():
    with pytest.raises(SystemExit, match="the same tasks"):
        compare(BEFORE, [attempts(lamp=[1, 1])])
