"""The page that shows all pictures, and a table of each page's size."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.gallery.pictures import Picture

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Every page</title><style>
body { margin: 2rem; font: 15px/1.5 system-ui, sans-serif; color-scheme: light dark }
section { margin-top: 2.5rem } figure { display: inline-block; margin: 0 1rem 0 0 }
img { border: 1px solid #888; vertical-align: top }
.w1280 img { width: 640px } .w390 img { width: 195px }
figcaption { font-size: 12px }
</style></head><body><h1>Every page</h1>
"""


def write_index(pictures: Sequence[Picture], folder: Path) -> None:
    """Write index.html next to the pictures, one section a page."""
    ordered = sorted(pictures, key=lambda one: (one.page, -one.width, one.theme))
    sections = [
        _section(name, list(group))
        for name, group in groupby(ordered, key=lambda one: one.page)
    ]
    text = HEAD + "\n".join(sections) + "\n</body></html>\n"
    (folder / "index.html").write_text(text, encoding="utf-8")


def _section(name: str, pictures: Sequence[Picture]) -> str:
    heaviest = max(one.bytes for one in pictures) / 1000
    slowest = max(one.paint_ms for one in pictures)
    figures = "".join(
        f'<figure class="w{one.width}"><a href="{html.escape(one.file)}">'
        f'<img src="{html.escape(one.file)}" alt="" loading="lazy"></a>'
        f"<figcaption>{one.width}, {one.theme}</figcaption></figure>"
        for one in pictures
    )
    said = f"{heaviest:.0f} kB without Plotly, first paint after {slowest:.0f} ms"
    path = html.escape(pictures[0].path)
    faults = sorted({fault for one in pictures for fault in one.faults})
    told = "".join(f"<p><strong>{html.escape(fault)}</strong></p>" for fault in faults)
    return (
        f"<section><h2>{html.escape(name)}</h2>"
        f"<p><code>{path}</code> · {said}</p>{told}{figures}</section>"
    )
