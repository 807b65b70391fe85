"""The table of an update by the advantage of its steps."""

from __future__ import annotations

from benchmarks.learning.advantages import format_table


def score(advantage, log_ratio, was_used=True):
    return {"advantage": advantage, "log_ratio": log_ratio, "was_used": was_used}


def test_errors_are_those_of_equation_7():
    table = format_table([score(0.5, 1.0), score(0.5, 2.0)], beta=0.2)
    # before: 2 * 0.5^2; after: (0.2 - 0.5)^2 + (0.4 - 0.5)^2
    assert "| 0.3 to 1 | 2 | 0.5 | 0.1 | +2.50 | +1.50, 0.50 |" in table


def test_steps_that_did_not_count_are_in_no_row():
    assert "0.3 to 1" not in format_table([score(0.5, 1.0, was_used=False)], beta=0.2)


def test_an_advantage_of_one_is_in_the_last_row():
    assert "| 0.3 to 1 | 1 |" in format_table([score(1.0, 0.0)], beta=0.2)
