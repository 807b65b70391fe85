from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from webrl_site.replay.addresses import RecordedPage
from webrl_site.replay.film import (
    STRIP_HEIGHT,
    Strip,
    describe_training,
    make_film,
    make_strips,
)
from webrl_site.replay.steps import StepOutline

TRAINING: Any = SimpleNamespace(
    pk=1,
    phase=SimpleNamespace(number=1),
    config={"perplexity_low": 1.1, "perplexity_high": 2},
)
NAMES = ("Value", "Advantage", "Perplexity", "KL")


def outline(number: int, *experiences: Any, **parts: float) -> StepOutline:
    step: Any = SimpleNamespace(error="", title="")
    page = RecordedPage("", "")
    times = list(parts.items())
    given = list(experiences)
    return StepOutline(step, number, "", "", [], "", page, None, times, given)


def experience(value: float | None, **fields: Any) -> Any:
    names = ("value", "advantage", "perplexity", "log_ratio")
    rest = {"was_used": True, "left_out_reason": "", "training_run": TRAINING}
    numbers = dict.fromkeys(names, value)
    return SimpleNamespace(**{"training_run_id": 1, **numbers, **rest, **fields})


def strip_of(values: list[float | None], name: str) -> Strip:
    outlines = [outline(i + 1, experience(value)) for i, value in enumerate(values)]
    return next(s for s in make_strips(outlines, TRAINING) if s.name == name)


def test_bars_below_the_line_hang_from_it():
    strip = strip_of([0.5, -0.5], "Advantage")

    up, down = (cell.bar for cell in strip.cells)
    assert up and down
    assert up.y + up.height == pytest.approx(strip.zero, abs=0.02)
    assert down.y == strip.zero
    assert down.is_low and not up.is_low


def test_a_step_without_a_number_keeps_its_column_empty():
    assert [cell.bar is None for cell in strip_of([None, 0.4], "Value").cells] == [
        True,
        False,
    ]


def test_a_strip_of_which_nothing_is_known_is_left_out():
    assert make_strips([outline(1, experience(None))], TRAINING) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_bar_stays_inside_its_strip(name: str):
    for cell in strip_of([0.0, 1.0, 7.5, -3.0], name).cells:
        assert cell.bar
        assert cell.bar.y >= 0
        assert cell.bar.y + cell.bar.height <= STRIP_HEIGHT + 0.02


def test_a_strip_says_its_scale():
    strip = strip_of([0.2, -1.5], "KL")

    assert (strip.high, strip.low, strip.cells[1].bar.text) == ("1.5", "-1.5", "-1.500")


def test_the_band_of_what_may_be_replayed_is_shaded():
    strip = strip_of([1.0, 3.0], "Perplexity")

    assert strip.band == (18.0, 16.2)


def test_the_numbers_are_those_of_the_chosen_training():
    other = SimpleNamespace(pk=2, phase=SimpleNamespace(number=2), config={})
    later = experience(0.9, training_run=other, training_run_id=2)
    outlines = [outline(1, experience(0.1), later)]

    said = {
        chosen: make_film(outlines, chosen).strips[0].cells[0].bar
        for chosen in (None, 2, 99)
    }

    assert {key: bar and bar.text for key, bar in said.items()} == {
        None: "0.100",
        2: "0.900",
        99: "0.100",
    }


def test_a_step_says_whether_it_was_trained_on_or_why_not():
    left = experience(0.1, was_used=False, left_out_reason="too hard")

    assert describe_training([left]) == ("left", "phase 1: left out because too hard")
    assert describe_training([left, experience(0.2)])[0] == "used"
    assert describe_training([])[0] == ""


def test_the_parts_of_a_steps_time_stand_one_after_the_other():
    film = make_film([outline(1, observe=10, act=30), outline(2, observe=80)])

    assert [(s.x, s.width) for s in film.tiles[0].time] == [(0, 12.5), (12.5, 37.5)]
    assert film.tiles[1].time[0].width == 100
