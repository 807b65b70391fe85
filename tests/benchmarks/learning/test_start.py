from __future__ import annotations

from typing import Any

import pytest

from benchmarks.learning.start import describe, list_tasks, measure


def rows(key: str, outcomes: list[bool]) -> list[dict[str, Any]]:
    return [
        {"key": key, "template": key, "outcome": outcome, "ended_by": "exit"}
        for outcome in outcomes
    ]


FOUND = [*rows("shop.1", [True, False]), *rows("forum.1", [False, False])]


def test_pass_at_k_is_the_mean_over_tasks():
    measured = measure(FOUND)
    assert measured[1].mean == pytest.approx(0.25)
    assert measured[2].mean == pytest.approx(0.5)


def test_k_needs_as_many_attempts_at_every_task():
    assert list(measure([*FOUND, *rows("shop.2", [True])])) == [1]


def test_tasks_on_the_named_sites_alone_are_attempted():
    assert len(list_tasks()) == 165
    found = list_tasks("shop,forum")
    assert {site for task in found for site in task["sites"]} == {"shop", "forum"}
    assert {task["split"] for task in found} == {"validation"}


def test_sites_stand_apart():
    assert {"shop: 1 of 2", "forum: 0 of 2"} <= set(describe(FOUND))
