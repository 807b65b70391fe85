"""Filters and tags of the templates: roles, icons, numbers and intervals."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, TypeVar

from django import template
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.template.loader import render_to_string
from django.utils.formats import get_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role
from curriculum.texts.saying import say as say_sentence
from curriculum.texts.saying import say_stored
from curriculum.texts.sentences import Sentence
from rollouts.browser.types import CheckResult
from webrl_site.i18n.row_counts import count_rows
from webrl_site.i18n.script_texts import read_texts
from webrl_site.i18n.words import say
from webrl_site.statistics import Proportion, wilson

register = template.Library()

K = TypeVar("K")
V = TypeVar("V")
NOTHING = "\N{EN DASH}"
# Above this a float has no decimals that could be rounded.
MAX_EXACT = 2**53

TONES = {
    "good": {"closed", "finished", "accepted", "accept", "edit", "done", "ok"},
    "bad": {"failed", "rejected", "reject", "bad"},
    "warn": {"review", "stopped", "shortlisted", "disputed", "warn"},
    "accent": {
        "baseline",
        "collecting",
        "scoring",
        "training",
        "handing_over",
        "evaluating",
        "evolving",
        "running",
        "current",
    },
}


@register.filter
def is_researcher(user: AbstractBaseUser | AnonymousUser) -> bool:
    return has_role(user, ROLE_RESEARCHER)


@register.filter
def is_annotator(user: AbstractBaseUser | AnonymousUser) -> bool:
    return has_role(user, ROLE_ANNOTATOR) or has_role(user, ROLE_RESEARCHER)


@register.filter
def tone(status: str) -> str:
    """The badge colour of a status, in addition to its word."""
    for name, statuses in TONES.items():
        if status in statuses:
            return f"badge-{name}"
    return ""


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """0.4242 -> "42 %"; None -> a dash."""
    return NOTHING if value is None else f"{_local(100 * value, digits)} %"


@register.filter
def points(difference: float) -> str:
    """0.08 -> "+8", of percentage points: a difference of shares is no share."""
    text = _local(100 * difference, 0).removeprefix("-")
    if text == "0":
        return text
    return ("+" if difference > 0 else "\N{MINUS SIGN}") + text


@register.filter
def decimal(value: float | None, digits: int = 3) -> str:
    """Rounded, with the decimal sign of the reader's language; None -> a dash.

    Addresses, attributes and drawings need `stringformat` instead.
    """
    return NOTHING if value is None else _local(value, digits)


def _local(value: float, digits: int) -> str:
    """Round halves up, as people do; Python gives 12 for 12.5.

    A number is first cut after its exact digits, so that 14.499999999999998, which is
    100 * 0.145, counts as the intended 14.5.
    """
    if not math.isfinite(value) or abs(value) >= MAX_EXACT:
        return f"{value:.{digits}f}"
    exact = Decimal(repr(round(float(value), digits + 6)))
    rounded = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{rounded:f}".replace(".", get_format("DECIMAL_SEPARATOR"))


@register.filter
def word(code: str) -> str | Promise:
    """The word for a code of a state, a stage, a part or a kind."""
    return say(code)


@register.filter
def said(stored: object) -> str:
    """The text of a stored reason, event or check, in the reader's language."""
    if isinstance(stored, Mapping):
        return say_stored(stored)
    return say_sentence(_text_of(stored))


@register.filter
def is_coded(stored: object) -> bool:
    """Whether `said` has it in the reader's language; other texts are English."""
    if isinstance(stored, Mapping):
        return "code" in stored
    return isinstance(_text_of(stored), Sentence)


def _text_of(stored: object) -> str:
    text = stored.why if isinstance(stored, CheckResult) else stored
    return text if isinstance(text, str) else ""


register.simple_tag(count_rows)


@register.simple_tag
def script_texts() -> dict[str, str | list[str]]:
    """The texts of the scripts in the reader's language; empty in English."""
    return read_texts()


@register.filter
def plain(value: object) -> object:
    """A setting as people write it: ["a", "b"] -> "a, b"; True -> "yes"; 6 digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(str(plain(one)) for one in value) or NOTHING
    return NOTHING if value is None or value == "" else value


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds in the two largest units: "1 h 5 min", "42 s"."""
    if seconds is None:
        return NOTHING
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, rest = divmod(whole, 3600)
    return f"{hours} h {rest // 60} min"


@register.filter
def rate_of(successes: int, n: int) -> Proportion:
    """`{% with p=successes|rate_of:n %}`: the proportion with its interval."""
    return wilson(successes, n)


@register.simple_tag
def share_of(successes: int, n: int, tasks: int) -> Proportion:
    """`{% share_of successes n tasks as p %}`: of n attempts at so many tasks."""
    return wilson(successes, n, tasks=tasks)


@register.filter
def lookup(mapping: Mapping[K, V], key: K) -> V | None:
    return mapping.get(key)


@register.filter
def zipped(left: Iterable[Any], right: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Two lists of one length side by side."""
    return list(zip(left, right, strict=True))


@register.simple_tag
@functools.lru_cache(maxsize=100)
def icon(name: str) -> SafeString:
    """Return the drawing of that name, made once: a page shows dozens."""
    return render_to_string("includes/_icon.html", {"name": name})


@register.inclusion_tag("includes/_interval.html")
def interval(proportion: Proportion) -> dict[str, Any]:
    """A bar from 0 to 100 % with the interval and the point on it."""
    if proportion.rate is None or proportion.low is None or proportion.high is None:
        return {"proportion": proportion}
    return {
        "proportion": proportion,
        "x": round(100 * proportion.low, 2),
        "width": round(100 * max(proportion.high - proportion.low, 0.01), 2),
        # The mark is one wide and stays inside at 100 %.
        "point": round(99 * proportion.rate, 2),
    }
