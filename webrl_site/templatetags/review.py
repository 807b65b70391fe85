"""Words of the review's templates: Markdown, and where the bars of the days stand."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from webrl_site.markdown import render_markdown
from webrl_site.review_progress import Day

register = template.Library()
HEIGHT = 120


@register.filter
def markdown(text: str) -> SafeString:
    return render_markdown(text)


@register.filter
def bar_height(day: Day, most: int) -> str:
    """Return at least 2 for a day with decisions, so that one is seen beside many."""
    return f"{max(HEIGHT * day.count / most, 2 if day.count else 0):.1f}"


@register.filter
def bar_top(day: Day, most: int) -> str:
    return f"{HEIGHT - float(bar_height(day, most)):.1f}"
