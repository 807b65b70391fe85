"""The cells of the film's strips, drawn in one go.

A long film has hundreds of them, and each took a tenth of a millisecond as a template.
"""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from webrl_site.replay.film import Bar, Cell, Strip

register = template.Library()
CELL = (
    '<td class="film-cell{}" data-col="{}"{}>'
    '<svg class="strip" viewBox="0 0 24 36" preserveAspectRatio="none" '
    'aria-hidden="true">{}{}</svg>'
    '<span class="film-number tiny number">{}</span></td>'
)
BAND = '<rect class="strip-band" x="0" width="24" y="{}" height="{}"/>'
ZERO = '<line class="strip-zero" x1="0" x2="24" y1="{}" y2="{}"/>'
BAR = '<rect class="strip-bar{}" x="4" width="16" y="{}" height="{}"/>'


@register.simple_tag
def strip_cells(strip: Strip, current: int) -> SafeString:
    """Return one cell a step; `current` is the number of the step that is shown."""
    ground, title = _draw_ground(strip), _title(strip)
    unknown = gettext("none")
    return format_html_join(
        "",
        CELL,
        (
            (
                " is-current" if cell.number == current else "",
                cell.number,
                _describe(cell, title),
                ground,
                _draw(cell.bar) if cell.bar else "",
                cell.bar.text if cell.bar else unknown,
            )
            for cell in strip.cells
        ),
    )


def _draw_ground(strip: Strip) -> SafeString:
    """Return the common background of all bars: the range, and where bars start."""
    zero = format_html(ZERO, f"{strip.zero:.2f}", f"{strip.zero:.2f}")
    if strip.band is None:
        return zero
    top, height = strip.band
    return format_html(BAND, f"{top:.2f}", f"{height:.2f}") + zero


def _draw(bar: Bar) -> SafeString:
    is_low = " is-low" if bar.is_low else ""
    return format_html(BAR, is_low, f"{bar.y:.2f}", f"{bar.height:.2f}")


def _title(strip: Strip) -> str:
    """Return the sentence that names a cell's number, with the strip's name in it."""
    sentence = gettext("%(name)s at step %(number)s: %(text)s")
    return sentence.replace("%(name)s", strip.name.replace("%", "%%"))


def _describe(cell: Cell, title: str) -> SafeString | str:
    if cell.bar is None:
        return ""
    told = title % {"number": cell.number, "text": cell.bar.text}
    return format_html(' title="{}"', told)
