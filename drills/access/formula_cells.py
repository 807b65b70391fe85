"""S11: what a spreadsheet would calculate in an exported file."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator

from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from drills.access.people import ensure_people
from drills.outcome import Outcome
from drills.web import client

VALUES = 5000
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", " =", "\u3000=", "'=", "\x00=")
TAILS = ("1+1", "cmd|' /C calc'!A0", 'HYPERLINK("http://evil.example")', "A1;=2", "")
SEPARATORS = ("", ",=1", ";=1", "\t=1", '"=1', '",=1', "\r\n=1")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def measure() -> Outcome:
    """Write hostile values, export them by HTTP, and read the file as a table."""
    person = ensure_people()["researcher"]
    _write(VALUES)
    with client(person) as asking:
        answer = asking.get("/api/exports/tasks/", params={"format": "csv"})
    answer.raise_for_status()
    rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    cells = [cell for row in rows for cell in row]
    found = [cell for cell in cells if is_formula(cell)]
    kept = sum("drill-" in cell for cell in cells)
    text = f"{len(cells)} cells, {kept} with a hostile value, {len(found)} formulas"
    return Outcome(text, not found and kept >= VALUES, "; ".join(map(repr, found[:3])))


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet would calculate the cell; numbers are harmless."""
    return cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) and not (
        NUMBER.fullmatch(cell)
    )


def _write(count: int) -> None:
    site = Site.objects.all()[0]
    Task.objects.bulk_create(
        Task(
            key=f"drill-{number}",
            site=site,
            instruction=text,
            start_url=site.placeholder,
            spec={},
            digest=digest_task(f"{number} {text}", site.placeholder),
        )
        for number, text in enumerate(itertools.islice(_hostile(), count))
    )


def _hostile() -> Iterator[str]:
    for parts in itertools.cycle(itertools.product(STARTS, TAILS, SEPARATORS)):
        text = "".join(parts)
        # PostgreSQL stores no NUL.
        yield text.replace("\x00", "") or "="
