from __future__ import annotations

from io import StringIO
from typing import Any

from webrl_site.management.training_names import ShowProgress

REPORTS: list[dict[str, Any]] = [
    {"stage": "starting"},
    {"stage": "starting"},
    {"stage": "orm", "done": 0, "total": 100},
    {"stage": "orm", "done": 9, "total": 100},
    {"stage": "orm", "done": 12, "total": 100, "seconds_left": 150.0},
]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def told(output: StringIO) -> str:
    progress = ShowProgress(output)
    for report in REPORTS:
        progress(report)
    progress.end()
    return output.getvalue()


def test_a_file_gets_a_line_for_each_stage_and_each_tenth():
    lines = told(StringIO()).splitlines()

    assert lines == [
        "starting",
        "orm 0 of 100",
        "orm 12 of 100, about 2 min 30 s left",
    ]


def test_a_terminal_has_one_line_that_is_written_over():
    line = told(Terminal()).split("\r")[-1]

    assert line == f"{'orm 12 of 100, about 2 min 30 s left':<60}\n"
