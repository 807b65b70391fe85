"""Which tests a stage of `./webrl test` runs, read from their marks and fixtures.

Whoever asks the database has the fixture `db`, or pytest-django refuses; so what the
kind of database can change is found, and need not be listed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, cast

import pytest

from scripts.workbench.paths import ROOT
from scripts.workbench.testing import BROWSER_MARK, WITHOUT_DATABASE

DATABASE = {"db", "transactional_db", "django_db_setup"}


class _HasFixtures(Protocol):
    fixturenames: list[str]


def asks_database(item: pytest.Item) -> bool:
    """Say whether a test may ask the database."""
    names = cast(_HasFixtures, item).fixturenames
    has_mark = item.get_closest_marker("django_db") is not None
    return has_mark or not DATABASE.isdisjoint(names)


def needs_servers(item: pytest.Item) -> bool:
    """Say whether a test may end otherwise on PostgreSQL and Redis."""
    return asks_database(item) or item.get_closest_marker("services") is not None


def comes_later(item: pytest.Item) -> bool:
    """Say whether a test waits until the slow ones have begun.

    What asks the database keeps the order that pytest-django has given it.
    """
    return item.get_closest_marker("slow") is None or asks_database(item)


def find_strays(items: Iterable[pytest.Item]) -> list[str]:
    """Return what is wrong with tests that a stage would not find where it looks."""
    return [problem for item in items if (problem := _find_problem(item))]


def _find_problem(item: pytest.Item) -> str:
    path = item.path.relative_to(ROOT)
    if item.get_closest_marker("browser") is not None:
        if _names_mark(item.path):
            return ""
        return f"{item.nodeid} is marked elsewhere: its file must name the mark."
    if asks_database(item) and any(path.is_relative_to(p) for p in WITHOUT_DATABASE):
        return f"{item.nodeid} asks a database: its folder is left out on servers."
    return ""


@functools.cache
def _names_mark(path: Path) -> bool:
    return BROWSER_MARK in path.read_text(encoding="utf-8")
