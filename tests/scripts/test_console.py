"""What a step writes where no terminal shows its bar."""

from __future__ import annotations

from scripts.workbench.console import Bar


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watch(capsys, seconds: int, expected_s: float) -> list[str]:
    """The lines of a step that is looked at once a second."""
    clock = Clock()
    bar = Bar("Working", expected_s, clock=clock)
    bar.is_live = False
    for _ in range(seconds):
        clock.now += 1
        bar.tick()
    return list(capsys.readouterr().out.splitlines())


def test_a_short_step_writes_a_line_every_fifteen_seconds(capsys):
    assert len(watch(capsys, 60, expected_s=60)) == 4


def test_ten_hours_fit_on_two_screens(capsys):
    assert len(watch(capsys, 36_000, expected_s=36_000)) < 80


def test_a_step_within_its_forecast_says_how_long_it_still_takes(capsys):
    assert watch(capsys, 15, expected_s=60)[-1].endswith("15 s, about 45 s left")


def test_a_step_beyond_its_forecast_no_longer_names_an_end(capsys):
    last = watch(capsys, 90, expected_s=60)[-1]
    assert last.endswith("1 min 30 s, longer than the expected 1 min")
