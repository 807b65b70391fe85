from __future__ import annotations

import json
from typing import Any

from benchmarks.learning.report import write_report
from benchmarks.learning.summary import summarise
from rollouts.sites.sandbox.catalog import TEMPLATES

SEEN = next(key for key, one in TEMPLATES.items() if not one.is_held_out)
UNSEEN = next(key for key, one in TEMPLATES.items() if one.is_held_out)


def rows(phase: int, outcomes: list[bool], seed: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "method": "awr",
            "seed": seed,
            "phase": phase,
            "split": "test",
            "key": f"task-{number}",
            "template": UNSEEN if number == 0 else SEEN,
            "attempt": 0,
            "outcome": outcome,
            "ended_by": "exit",
            "steps": 3,
        }
        for number, outcome in enumerate(outcomes)
    ]


def test_a_phase_is_compared_with_its_start_task_by_task():
    found = summarise(
        [*rows(0, [False, True, False, False]), *rows(1, [True, False, True, False])]
    )
    last = found[-1]
    assert (last.method, last.phase, last.seeds) == ("awr", 1, 1)
    assert last.success.mean == 0.5
    assert last.against_start.difference.mean == 0.25
    assert (last.against_start.lost, last.against_start.won) == (1, 2)


def test_unseen_templates_stand_apart():
    found = summarise(rows(0, [True, False, False, False]))
    assert found[0].unseen == 1.0


def test_seeds_are_averaged_within_a_task():
    both = [*rows(0, [True, False]), *rows(0, [False, False], seed=1)]
    assert summarise(both)[0].success.mean == 0.25


def test_the_report_has_rows_table_and_curves(tmp_path):
    found = [*rows(0, [False, True]), *rows(1, [True, True])]
    write_report(tmp_path, found)
    kept = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in kept] == found
    assert "| awr | 1 | 1 | 100.0 " in (tmp_path / "table.md").read_text()
    assert "<polyline" in (tmp_path / "report.html").read_text()
