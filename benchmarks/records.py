"""What a benchmark returns: numbers, each with the number it is compared with."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """One measured number.

    Attributes:
        metric: What was measured, e.g. "environment step, median".
        ours: Our number.
        reference: The number it is compared with, measured in the same run; None
            when there is nothing to compare.
        unit: "ms", "tokens/s", "%", ...
        n: Number of repetitions.
    """

    metric: str
    ours: float
    reference: float | None
    unit: str
    n: int

    @property
    def ratio(self) -> float | None:
        """Ours over the reference; None without one."""
        return self.ours / self.reference if self.reference else None

    def to_json(self) -> dict[str, Any]:
        """Return the record with its ratio, as `--json` writes it."""
        return {
            "metric": self.metric,
            "ours": self.ours,
            "reference": self.reference,
            "ratio": self.ratio,
            "unit": self.unit,
            "n": self.n,
        }


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write the records as one JSON list."""
    text = json.dumps([record.to_json() for record in records], indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def format_table(records: Sequence[Record]) -> str:
    """Return the records as a Markdown table."""
    lines = [
        "| metric | ours | reference | ratio | n |",
        "| --- | --- | --- | --- | --- |",
    ]
    for record in records:
        reference = (
            "" if record.reference is None else _number(record.reference, record)
        )
        ratio = "" if record.ratio is None else f"{record.ratio:.2f}"
        ours = _number(record.ours, record)
        lines.append(
            f"| {record.metric} | {ours} | {reference} | {ratio} | {record.n} |"
        )
    return "\n".join(lines)


def _number(value: float, record: Record) -> str:
    return f"{value:,.4g} {record.unit}"
