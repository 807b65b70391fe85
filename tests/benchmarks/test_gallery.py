from __future__ import annotations

import dataclasses
from pathlib import Path

from benchmarks.gallery.index import write_index
from benchmarks.gallery.pictures import Picture


def picture(page: str, width: int = 1280, weight: int = 100_000) -> Picture:
    file = f"{page}-{width}.jpg"
    return Picture(page, f"/{page}/?a=1&b=2", width, "light", file, weight, 240.4)


def test_the_index_shows_each_page_once_with_its_heaviest_picture(tmp_path: Path):
    write_index(
        [picture("runs"), picture("runs", 390, 120_000), picture("a")], tmp_path
    )

    text = (tmp_path / "index.html").read_text()
    assert text.count("<section>") == 2
    assert text.index("<h2>a</h2>") < text.index("<h2>runs</h2>")
    assert "120 kB without Plotly, first paint after 240 ms" in text
    assert "/runs/?a=1&amp;b=2" in text and 'src="runs-390.jpg"' in text


def test_the_index_says_once_what_is_wrong_with_a_page(tmp_path: Path):
    wrong = [
        dataclasses.replace(picture("runs", width), faults=("is in <en>",))
        for width in (1280, 390)
    ]
    write_index(wrong, tmp_path)
    assert (tmp_path / "index.html").read_text().count("is in &lt;en&gt;") == 1
