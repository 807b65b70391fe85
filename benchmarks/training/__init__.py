"""Training and scoring speed, each with its reference measured in the same run."""

from __future__ import annotations

from benchmarks.records import Record


def run() -> list[Record]:
    """All records."""
    # The processes that measure memory import this package and need no trainer.
    from benchmarks.training.table import measure_all

    return measure_all()
