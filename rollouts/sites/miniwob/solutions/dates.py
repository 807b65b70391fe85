"""Pages that ask for a date or a time."""

from __future__ import annotations

import calendar
import datetime

from rollouts.sites.miniwob.solutions.answers import click, write
from rollouts.sites.miniwob.solutions.reading import Page
from rollouts.sites.miniwob.solutions.rules import Rule, Words, rule

MONTHS = list(calendar.month_name)


def enter_date(page: Page, words: Words, step: int) -> str:
    """The browser's own field takes dates as they are written in data."""
    day = datetime.datetime.strptime(words[0], "%m/%d/%Y")
    return _enter(page, "date", f"{day:%Y-%m-%d}", step)


def enter_time(page: Page, words: Words, step: int) -> str:
    time = datetime.datetime.strptime(words[0], "%I:%M %p")
    return _enter(page, "time", f"{time:%H:%M}", step)


def _enter(page: Page, kind: str, value: str, step: int) -> str:
    return write(page.of(kind)[0], value) if step == 0 else click(page.find("submit"))


def pick_date(page: Page, words: Words, step: int) -> str:
    """Open the calendar, turn its pages, pick the day, submit."""
    month, day, year = (int(part) for part in words[0].split("/"))
    field = page.of("text")[0]
    if field.attributes.get("value"):
        return click(page.find("submit"))
    if f"{MONTHS[month]} {year}" in page.text:
        return click(page.find(str(day), "a"))
    return click(page.find("prev") if "Su Mo" in page.text else field)


RULES: tuple[Rule, ...] = (
    rule("enter-date", r"Enter (.+) as the date and hit submit\.", enter_date),
    rule("enter-time", r"Enter (.+) as the time and press submit\.", enter_time),
    rule(
        "choose-date choose-date-easy choose-date-medium choose-date-nodelay",
        r"Select (.+) as the date and hit submit\.",
        pick_date,
    ),
)
