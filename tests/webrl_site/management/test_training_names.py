from __future__ import annotations

from io import StringIO
from typing import Any

from webrl_site.management.training_names import ShowProgress

REPORTS: list[dict[str, Any]] = [
    {"stage": "starting"},
    {"stage": "starting"},
    {"stage": "orm", "done": 1, "total": 10},
    {"stage": "orm", "done": 2, "total": 10},
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


def test_a_file_gets_a_line_for_each_stage():
    assert told(StringIO()) == "starting\norm 1 of 10\n"


def test_a_terminal_has_one_line_that_is_written_over():
    line = told(Terminal()).split("\r")[-1]

    assert line == f"{'orm 2 of 10':<40}\n"
