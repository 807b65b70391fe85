"""Table, curves and a page of a bench's rows."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.summary import Line, format_lines, summarise

ROWS, TABLE, PAGE = "rows.jsonl", "table.md", "report.html"
WIDTH, HEIGHT, MARGIN = 640, 360, 40
COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c", "#0f766e")


def write_report(folder: Path, rows: Sequence[dict[str, Any]]) -> list[Line]:
    """Write raw rows, table and page; returns the table's lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = summarise(rows)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / ROWS).write_text(text)
    (folder / TABLE).write_text(format_lines(lines) + "\n")
    (folder / PAGE).write_text(format_page(lines))
    return lines


def format_page(lines: Sequence[Line]) -> str:
    """One self-contained HTML page."""
    table = html.escape(format_lines(lines))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        "<title>Learning bench</title><h1>Learning bench</h1>"
        f"{draw_curves(lines)}<pre>{table}</pre></html>\n"
    )


def draw_curves(lines: Sequence[Line]) -> str:
    """Success over phases, one polyline a method, as SVG."""
    last = max([line.phase for line in lines], default=0) or 1
    parts = []
    for place, method in enumerate(dict.fromkeys(line.method for line in lines)):
        colour = COLOURS[place % len(COLOURS)]
        points = [
            f"{_x(line.phase / last):.0f},{_y(line.success.mean):.0f}"
            for line in lines
            if line.method == method
        ]
        parts.append(
            f'<polyline fill="none" stroke="{colour}" points="{" ".join(points)}"/>'
            f'<text x="{WIDTH + 8}" y="{20 + 18 * place}" fill="{colour}">'
            f"{html.escape(method)}</text>"
        )
    axis = "".join(
        f'<text x="4" y="{_y(share / 100):.0f}">{share} %</text>'
        for share in range(0, 101, 20)
    )
    return (
        f'<svg role="img" aria-label="Success by phase" viewBox="0 0 {WIDTH + 180} '
        f'{HEIGHT}" width="{WIDTH + 180}" height="{HEIGHT}">'
        f"{axis}{''.join(parts)}</svg>"
    )


def _x(share: float) -> float:
    return MARGIN + share * (WIDTH - 2 * MARGIN)


def _y(share: float) -> float:
    return HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)
