"""A drill's result for its bar."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

VERDICTS = {True: "yes", False: "no", None: "cannot be said"}


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured, and what was required.

    Attributes:
        measured: The numbers, in words.
        ok: Whether the bar holds; None if that is undecided, which counts as not
            held.
        note: What a reader must know, such as why it is undecided.
        asked: The condition of this run, if it differs from the bar's.
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
    """Return lines of JSON as a table in Markdown; failed bars include their note."""
    rows = ["| bar | asked | measured | ok |", "| --- | --- | --- | --- |"]
    for line in map(json.loads, lines):
        note = line.get("note") if line["ok"] is not True else ""
        measured = "; ".join(filter(None, (line["measured"], note)))
        cells = (line["bar"], line["asked"], measured, VERDICTS[line["ok"]])
        text = " | ".join(cell.replace("|", "\\|") for cell in cells)
        rows.append(f"| {text} |")
    return "\n".join(rows) + "\n"
