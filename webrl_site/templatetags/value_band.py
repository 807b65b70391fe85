"""Positions of the value band's bars, in the units of its drawing."""

from __future__ import annotations

from django import template

from curriculum.selectors.value_band import Band, Bar

register = template.Library()
PLOT_HEIGHT = 180


@register.filter
def times(value: float, factor: int) -> str:
    return f"{value * factor:.1f}"


@register.filter
def band_width(band: Band, factor: int) -> str:
    return f"{max(band.high - band.low, 0.0) * factor:.1f}"


@register.filter
def is_inside(bar: Bar, band: Band) -> bool:
    """Whether the middle of a bar is in the band."""
    return band.low <= (bar.low + bar.high) / 2 <= band.high


@register.filter
def bar_height(count: int, tallest: int) -> str:
    """Return at least 2, so that a single task is visible next to hundreds."""
    return f"{max(PLOT_HEIGHT * count / max(tallest, 1), 2):.1f}"


@register.filter
def bar_top(count: int, tallest: int) -> str:
    return f"{PLOT_HEIGHT - float(bar_height(count, tallest)):.1f}"
