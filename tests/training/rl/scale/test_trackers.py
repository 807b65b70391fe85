from __future__ import annotations

import logging
from typing import Any

import pytest
from transformers import TrainerCallback, integrations

from training.rl.scale.trackers import HarmlessTracker, make_trackers


class Tracker(TrainerCallback):
    """Remembers what it was told, and fails where it is asked to."""

    def __init__(self, fails_on: str = "") -> None:
        self.fails_on = fails_on
        self.told: list[str] = []

    def _note(self, event: str) -> None:
        self.told.append(event)
        if event == self.fails_on:
            raise ConnectionError("no route to the tracker")

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._note("begin")

    def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._note("log")

    def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._note("end")


def play(tracker: HarmlessTracker) -> None:
    tracker.on_train_begin(None, None, None)
    tracker.on_log(None, None, None, logs={"loss": 1.0})
    tracker.on_train_end(None, None, None)


def test_a_tracker_hears_of_begin_steps_and_end():
    inner = Tracker()

    play(HarmlessTracker("own", inner))

    assert inner.told == ["begin", "log", "end"]


@pytest.mark.parametrize("event", ["begin", "log", "end"])
def test_a_tracker_that_fails_stops_nothing_and_is_left_alone(event, caplog):
    inner = Tracker(fails_on=event)
    with caplog.at_level(logging.WARNING):
        play(HarmlessTracker("own", inner))

    assert inner.told[-1] == event
    assert "own is left alone: no route to the tracker" in caplog.text


def test_a_tracker_that_is_not_installed_is_named(monkeypatch, caplog):
    def refuse() -> None:
        raise RuntimeError("MLflowCallback requires mlflow")

    monkeypatch.setattr(integrations, "MLflowCallback", refuse)
    monkeypatch.setenv("TRACKERS", "mlflow, bulletin")

    with caplog.at_level(logging.WARNING):
        assert make_trackers() == []

    assert "mlflow is left alone" in caplog.text and "'bulletin'" in caplog.text


def test_without_a_word_nothing_is_sent(monkeypatch):
    monkeypatch.delenv("TRACKERS", raising=False)

    assert make_trackers() == []
