"""Answers that do not end, or not in time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import httpx
import pytest

from curriculum.evolution import bounded_answers
from curriculum.evolution.bounded_answers import bound_answers


class Parts(httpx.SyncByteStream):
    """Sends one blank each second, without an end."""

    def __init__(self) -> None:
        self.now = 0.0
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.now += 1
            yield b" "

    def close(self) -> None:
        self.is_closed = True


def ask(parts: Parts) -> httpx.Response:
    answer = httpx.MockTransport(lambda request: httpx.Response(200, stream=parts))
    hooks = bound_answers(20, clock=lambda: parts.now)
    with httpx.Client(transport=answer, event_hooks=hooks) as client:
        return client.post("http://model.example/v1")


def test_an_answer_that_does_not_end_in_time_is_given_up() -> None:
    parts = Parts()
    with pytest.raises(httpx.ReadTimeout):
        ask(parts)
    assert parts.now == 21
    assert parts.is_closed


def test_an_answer_that_is_too_large_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_answers, "MAX_ANSWER_BYTES", 10)
    parts = Parts()
    with pytest.raises(httpx.ReadError, match="too large"):
        ask(parts)
    assert parts.now == 11


def test_a_whole_answer_in_parts_is_read() -> None:
    class Whole(Parts):
        def __iter__(self) -> Iterator[bytes]:
            yield from itertools.islice(super().__iter__(), 5)

    assert ask(Whole()).text == "     "
