from __future__ import annotations

import json

from benchmarks.records import Record, format_table, write_records

STEP = Record("environment step", 12.0, 8.0, "ms", 100)
ALONE = Record("whole phase", 300.0, None, "s", 1)


def test_ratio_is_ours_over_the_reference():
    assert STEP.ratio == 1.5
    assert ALONE.ratio is None


def test_records_are_written_with_every_key(tmp_path):
    write_records(tmp_path / "figures.json", [STEP])

    (written,) = json.loads((tmp_path / "figures.json").read_text())
    assert written == {
        "metric": "environment step",
        "ours": 12.0,
        "reference": 8.0,
        "ratio": 1.5,
        "unit": "ms",
        "n": 100,
    }


def test_the_table_leaves_a_missing_reference_empty():
    assert format_table([ALONE]).splitlines()[-1] == "| whole phase | 300 s |  |  | 1 |"
