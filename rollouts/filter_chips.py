"""Filters that links of chart marks set, in words: the form has no fields for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from curriculum.models import Task

# Bounds that are described together: from, and up to.
BOUNDS = (("optimal_from", "optimal_to"), ("words_from", "words_to"))
CHANCE = ("chance_from", "chance_below")
PAGER = "before"


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """One active filter, and the query of the list without it."""

    text: str
    query: str


def list_chips(filters: Mapping[str, Any], asked: QueryDict) -> list[Chip]:
    """Return the active filters without a field; `asked` is the whole query."""
    return [Chip(text, _without(asked, names)) for names, text in _say(filters)]


def _without(asked: QueryDict, names: tuple[str, ...]) -> str:
    left = asked.copy()
    for name in (*names, PAGER):
        left.pop(name, None)
    return f"?{left.urlencode()}"


def _say(filters: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each active filter's parameters and its description."""
    if "task" in filters:
        tasks = Task.objects.filter(pk=filters["task"]).values_list("key", flat=True)
        key = tasks.first() or filters["task"]
        yield ("task",), gettext("Task %(key)s") % {"key": key}
    if "template" in filters:
        text = gettext("Template %(key)s") % {"key": filters["template"]}
        yield ("template",), text
    if "judged" in filters:
        yield ("judged",), gettext("Judged by the evaluators")
    if "scored" in filters:
        yield ("scored",), gettext("Scored by the reward model")
    for names, title in zip(BOUNDS, _titles(), strict=True):
        low, high = (filters.get(name) for name in names)
        if (low, high) != (None, None):
            yield names, f"{title}: {_say_bounds(low, high)}"
    low, high = (filters.get(name) for name in CHANCE)
    if (low, high) != (None, None):
        yield CHANCE, f"P(YES): {_say_band(low, high)}"


def _titles() -> tuple[str, str]:
    return gettext("Required steps"), gettext("Words of the instruction")


def _say_bounds(low: int | None, high: int | None) -> str:
    if high is None:
        return gettext("%(low)s or more") % {"low": low}
    if low is None:
        return gettext("at most %(high)s") % {"high": high}
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


def _say_band(low: float | None, high: float | None) -> str:
    if high is None:
        return gettext("%(low)s or more") % {"low": f"{low:g}"}
    if low is None:
        return gettext("below %(high)s") % {"high": f"{high:g}"}
    return gettext("%(low)s to below %(high)s") % {
        "low": f"{low:g}",
        "high": f"{high:g}",
    }
