from __future__ import annotations

import threading
from types import SimpleNamespace

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from webrl_site.server import sqlite_write_gate


def call_three_times(monkeypatch, vendor: str) -> tuple[int, list[HttpResponseBase]]:
    """Return how many were at work at once, and all answers."""
    monkeypatch.setattr(sqlite_write_gate, "connection", SimpleNamespace(vendor=vendor))
    entered, may_leave = threading.Semaphore(0), threading.Event()
    answers: list[HttpResponseBase] = []

    @sqlite_write_gate.write_gate
    def view(request: HttpRequest) -> HttpResponse:
        entered.release()
        may_leave.wait(10)
        return HttpResponse("done")

    threads = [
        threading.Thread(target=lambda: answers.append(view(HttpRequest())))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    at_once = sum(entered.acquire(timeout=0.3) for _ in threads)
    may_leave.set()
    for thread in threads:
        thread.join(10)
    return at_once, answers


def test_two_at_a_time_where_one_can_write(monkeypatch):
    at_once, answers = call_three_times(monkeypatch, "sqlite")

    assert (at_once, len(answers)) == (2, 3)


def test_all_at_once_where_the_database_queues_writers(monkeypatch):
    at_once, answers = call_three_times(monkeypatch, "postgresql")

    assert (at_once, len(answers)) == (3, 3)
