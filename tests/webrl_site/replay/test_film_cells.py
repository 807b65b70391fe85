from __future__ import annotations

import dataclasses

from webrl_site.replay.film import Bar, Cell, Strip
from webrl_site.templatetags.film import strip_cells

STRIP = Strip(
    word="value",
    name="Value",
    help="",
    high="1",
    low="0",
    zero=36.0,
    cells=[Cell(1, Bar("0.50", 18.0, 18.0, False)), Cell(2, None)],
)


def test_a_cell_shows_and_tells_its_number():
    first = strip_cells(STRIP, 2).split("</td>")[0]
    assert 'title="Value at step 1: 0.50"' in first
    assert (
        '<rect class="strip-bar" x="4" width="16" y="18.00" height="18.00"/>' in first
    )
    assert first.endswith(">0.50</span>")


def test_a_step_without_a_number_says_so():
    second = strip_cells(STRIP, 1).split("</td>")[1]
    assert "strip-bar" not in second
    assert second.endswith(">none</span>")


def test_the_step_that_is_shown_is_marked():
    first, second, _ = strip_cells(STRIP, 2).split("</td>")
    assert "is-current" in second
    assert "is-current" not in first


def test_every_cell_has_the_shaded_range():
    banded = dataclasses.replace(STRIP, band=(4.0, 8.0))
    assert strip_cells(banded, 1).count('y="4.00" height="8.00"') == 2
    assert "strip-band" not in strip_cells(STRIP, 1)


def test_names_and_numbers_are_text():
    hostile = Cell(1, Bar("<b>%s</b>", 1.0, 1.0, True))
    strip = dataclasses.replace(STRIP, name="50 % & <i>", cells=[hostile])
    drawn = strip_cells(strip, 1)
    assert "50 % &amp; &lt;i&gt; at step 1: &lt;b&gt;%s&lt;/b&gt;" in drawn
    assert "<b>" not in drawn
