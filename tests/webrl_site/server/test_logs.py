from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from webrl_site.server.logs import JsonLines, WithoutSweep, logging_about
from webrl_site.server.middleware import RequestIdMiddleware


@pytest.mark.parametrize(
    ("level", "text", "kept"),
    [
        (logging.INFO, "Task webrl_site.loop.tasks.sweep[1] received", False),
        (logging.ERROR, "Task webrl_site.loop.tasks.sweep[1] raised", True),
        (logging.INFO, "Task rollouts.tasks.collect[1] received", True),
    ],
)
def test_only_ordinary_lines_about_the_sweep_are_dropped(
    level: int, text: str, kept: bool
) -> None:
    record = logging.LogRecord("celery", level, "", 1, text, None, None)

    assert WithoutSweep().filter(record) is kept


def write(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonLines().format(record)
    assert "\n" not in line
    return json.loads(line)


def record(text: str, *arguments: object, **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("webrl", logging.INFO, "", 1, text, arguments, None)
    vars(made).update(more)
    return made


def test_a_line_of_json_has_time_level_logger_and_message():
    line = write(record("Phase %s\nwaits", 7, created=0.5))

    assert line == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "INFO",
        "logger": "webrl",
        "message": "Phase 7\nwaits",
    }


def test_lines_carry_the_ids_of_what_is_at_work():
    with logging_about(request_id="a"), logging_about(phase_id=3):
        inside = write(record("x", trajectory_id=9))
    outside = write(record("x"))

    ids = {name: inside[name] for name in ("request_id", "phase_id", "trajectory_id")}
    assert ids == {"request_id": "a", "phase_id": 3, "trajectory_id": 9}
    assert "request_id" not in outside


def test_a_traceback_stays_in_its_line():
    try:
        raise ValueError("broken")
    except ValueError:
        found = write(record("x", exc_info=sys.exc_info()))

    assert "ValueError: broken" in found["traceback"]


def test_a_request_has_an_id_in_its_lines_and_its_answer():
    lines: list[dict[str, Any]] = []

    def answer(request: HttpRequest) -> HttpResponse:
        lines.append(write(record("at work")))
        return HttpResponse()

    first, second = (
        RequestIdMiddleware(answer)(RequestFactory().get("/")) for _ in range(2)
    )

    assert lines[0]["request_id"] == first["X-Request-ID"]
    assert first["X-Request-ID"] != second["X-Request-ID"]


def test_what_a_client_calls_its_request_is_not_believed():
    request = RequestFactory().get("/", headers={"X-Request-ID": "made up"})

    answer = RequestIdMiddleware(lambda _: HttpResponse())(request)

    assert answer["X-Request-ID"] != "made up"
