"""A reward model that learns the outcomes of recorded episodes."""

from __future__ import annotations

from typing import Any

from benchmarks.learning.refresh import as_verdicts
from training.rl.orm.data import ROWS, read_rows
from training.rl.training_data import write_lines


def row(outcome: bool) -> dict[str, Any]:
    trajectory = {
        "instruction": "Find the cup",
        "transitions": [{"output": "do(1)"}, {"output": "exit()"}],
        "final_observation": "<p>",
    }
    template = "shop.find_delivery_days"
    return {"template": template, "outcome": outcome, "trajectory": trajectory}


def test_the_trainer_reads_outcomes_as_verdicts(tmp_path):
    write_lines(tmp_path / ROWS, as_verdicts([row(True), row(False)]))
    found = read_rows(tmp_path)
    assert [one.is_success for one in found] == [True, False]
    assert [one.trajectory_id for one in found] == [0, 1]
    assert found[0].actions == ("do(1)", "exit()")
    assert (found[0].site, found[0].is_held_out) == ("shop", False)
