"""Filters of the review's templates: Markdown, and positions of the days' bars."""

from __future__ import annotations

import json

from django import template
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.safestring import SafeString

from curriculum.models import Task
from webrl_site.markdown import render_markdown
from webrl_site.review.progress import Day

register = template.Library()
HEIGHT = 120


@register.filter
def as_json(value: object) -> str:
    """Return JSON for an attribute; the template escapes it."""
    return json.dumps(value)


@register.filter
def markdown(text: str) -> SafeString:
    return render_markdown(text)


@register.filter
def is_held_by_other(task: Task, user: User) -> bool:
    """Say whether another person has the task on their desk now."""
    until = task.leased_until
    return bool(until and until >= timezone.now() and task.leased_by_id != user.pk)


@register.filter
def bar_height(day: Day, most: int) -> str:
    """Return at least 2 for a day with decisions, so that one is visible."""
    return f"{max(HEIGHT * day.count / most, 2 if day.count else 0):.1f}"


@register.filter
def bar_top(day: Day, most: int) -> str:
    return f"{HEIGHT - float(bar_height(day, most)):.1f}"
