from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from training.rl.training_data import drop_half_written, write_lines

ROWS, ROW_BYTES = 50, 200_000


def test_lines_are_written_without_all_of_them_in_memory(tmp_path: Path) -> None:
    rows = ({"page": "x" * ROW_BYTES} for _ in range(ROWS))
    tracemalloc.start()
    try:
        write_lines(tmp_path / "fresh.jsonl", rows)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < ROWS * ROW_BYTES / 5
    assert len((tmp_path / "fresh.jsonl").read_text().splitlines()) == ROWS


def test_lines_that_cannot_be_read_to_their_end_leave_nothing(tmp_path: Path) -> None:
    def break_off() -> Iterator[dict[str, Any]]:
        yield {"page": "x"}
        raise ConnectionError

    with pytest.raises(ConnectionError):
        write_lines(tmp_path / "fresh.jsonl", break_off())

    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_deleted(tmp_path: Path) -> None:
    (tmp_path / ".replay.jsonl.123").write_text("{")
    (tmp_path / "replay.jsonl").write_text("{}\n")

    drop_half_written(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["replay.jsonl"]
