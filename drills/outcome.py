"""What a drill says of its bar."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

VERDICTS = {True: "yes", False: "no", None: "cannot be said"}


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured, beside what was asked.

    Attributes:
        measured: The numbers, in words.
        ok: Whether the bar holds; None where that cannot be said, which counts as
            not held.
        note: What a reader must know, as why it cannot be said.
        asked: What was asked of this run, where it is not what the bar says.
    """

    measured: str
    ok: bool | None
    note: str = ""
    asked: str = ""


def format_line(bar: str, asked: str, outcome: Outcome, **more: Any) -> str:
    """Return the outcome of a bar as one line of JSON."""
    line: dict[str, Any] = {"bar": bar, "asked": outcome.asked or asked}
    line["measured"] = outcome.measured
    line |= {"ok": outcome.ok, **more}
    if outcome.note:
        line["note"] = outcome.note
    return json.dumps(line, ensure_ascii=False)


def format_table(lines: Sequence[str]) -> str:
    """Return lines of JSON as a table in Markdown; a bar that fails with its note."""
    rows = ["| bar | asked | measured | ok |", "| --- | --- | --- | --- |"]
    for line in map(json.loads, lines):
        note = line.get("note") if line["ok"] is not True else ""
        measured = "; ".join(filter(None, (line["measured"], note)))
        cells = (line["bar"], line["asked"], measured, VERDICTS[line["ok"]])
        text = " | ".join(cell.replace("|", "\\|") for cell in cells)
        rows.append(f"| {text} |")
    return "\n".join(rows) + "\n"
