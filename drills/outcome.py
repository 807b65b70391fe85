"""What a drill says of its bar."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured, beside what was asked.

    Attributes:
        measured: The numbers, in words.
        ok: Whether the bar holds; None where that cannot be said, which counts as
            not held.
        note: What a reader must know, as why it cannot be said.
    """

    measured: str
    ok: bool | None
    note: str = ""


def format_line(bar: str, asked: str, outcome: Outcome, **more: Any) -> str:
    """Return the outcome of a bar as one line of JSON."""
    line: dict[str, Any] = {"bar": bar, "asked": asked}
    line["measured"] = outcome.measured
    line |= {"ok": outcome.ok, **more}
    if outcome.note:
        line["note"] = outcome.note
    return json.dumps(line, ensure_ascii=False)
