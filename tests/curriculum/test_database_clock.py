"""Machines whose clocks disagree take the time of the database that they share."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from django.utils import timezone

from curriculum.selectors import database_clock
from curriculum.selectors.database_clock import database_now, measure_offset

HOUR = dt.timedelta(hours=1)


class Server:
    """A connection to a server whose clock is ahead of ours."""

    def __init__(self, vendor: str, ahead: dt.timedelta) -> None:
        self.vendor, self.ahead = vendor, ahead
        self.questions: list[str] = []

    def ensure_connection(self) -> None:
        """It is open."""

    def cursor(self) -> Server:
        return self

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        """It stays open."""

    def execute(self, query: str) -> None:
        self.questions.append(query)

    def fetchone(self) -> tuple[dt.datetime]:
        return (timezone.now() + self.ahead,)


@pytest.mark.parametrize("ahead", [2 * HOUR, -2 * HOUR, 0 * HOUR])
def test_our_clock_is_corrected_by_what_the_server_said(
    ahead: dt.timedelta, monkeypatch: pytest.MonkeyPatch
):
    server = Server("postgresql", ahead)
    monkeypatch.setattr(database_clock, "connection", server)

    measure_offset(server)

    assert abs(database_now() - timezone.now() - ahead) < HOUR / 60
    database_now()
    assert server.questions == ["SELECT statement_timestamp()"]


def test_sqlite_is_for_one_machine_and_its_clock(monkeypatch: pytest.MonkeyPatch):
    file = Server("sqlite", 2 * HOUR)
    monkeypatch.setattr(database_clock, "connection", file)

    measure_offset(file)

    with time_machine.travel(timezone.now(), tick=False):
        assert database_now() == timezone.now()
    assert file.questions == []
