"""Number, speed and quality of people's decisions."""

from __future__ import annotations

import dataclasses
import datetime as dt
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from curriculum.selectors.reviewing.desk import count_gold
from curriculum.selectors.reviewing.review_stats import (
    Decided,
    count_gold_by_person,
    list_decided,
)
from webrl_site.statistics import Proportion, wilson

DAYS = 30


@dataclasses.dataclass(frozen=True, slots=True)
class Times:
    """Focused seconds of the decisions that recorded their time; skips do not."""

    n: int
    median: float | None
    p90: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Day:
    """One bar of the chart."""

    date: dt.date
    count: int
    x: int


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """What one person has done in the last days.

    `counts` goes by `Decided.choice`.
    """

    pk: int
    name: str
    decided: int
    counts: Counter[str]
    times: Times
    gold: Proportion


def measure_times(rows: Sequence[Decided]) -> Times:
    """Return median and 90th percentile (the nearest rank)."""
    seconds = sorted(
        row.seconds
        for row in rows
        if row.seconds is not None and row.decision != "skip"
    )
    if not seconds:
        return Times(0, None, None)
    rank = -(-9 * len(seconds) // 10)
    return Times(len(seconds), statistics.median(seconds), seconds[rank - 1])


def count_days(rows: Sequence[Decided], today: dt.date) -> list[Day]:
    """Return one count for each of the last days, with zeros, without skips."""
    counts = Counter(row.day for row in rows if row.decision != "skip")
    days = [today - dt.timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    return [Day(day, counts[day], 30 * place + 3) for place, day in enumerate(days)]


def describe_person(
    pk: int, name: str, rows: Sequence[Decided], gold: tuple[int, int]
) -> Person:
    counts = Counter(row.choice for row in rows)
    decided = sum(row.decision != "skip" for row in rows)
    return Person(pk, name, decided, counts, measure_times(rows), wilson(*gold))


def begin_of_days() -> dt.datetime:
    """Return the midnight at which the first of the counted days began."""
    first = timezone.localdate() - dt.timedelta(days=DAYS - 1)
    return dt.datetime.combine(first, dt.time(), timezone.get_current_timezone())


def describe_progress(reviewer: User) -> dict[str, Any]:
    """Return the variables of a reviewer's own page in two queries."""
    rows = list_decided(begin_of_days(), reviewer.pk)
    days = count_days(rows, timezone.localdate())
    gold = count_gold(reviewer.pk)
    return {
        "person": describe_person(reviewer.pk, reviewer.get_username(), rows, gold),
        "days": days,
        "most": max(day.count for day in days),
        "today": days[-1].count,
    }


def describe_team() -> dict[str, Any]:
    """Return one line per person who decided lately, in two queries."""
    people: dict[int, list[Decided]] = {}
    for row in list_decided(begin_of_days()):
        people.setdefault(row.person_id, []).append(row)
    gold = count_gold_by_person()
    lines = [
        describe_person(pk, rows[0].person, rows, gold.get(pk, (0, 0)))
        for pk, rows in people.items()
    ]
    lines.sort(key=lambda line: (-line.decided, line.name))
    return {
        "people": lines,
        "decided": sum(line.decided for line in lines),
    }
