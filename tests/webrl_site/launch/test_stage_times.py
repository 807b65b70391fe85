from __future__ import annotations

import datetime as dt

from webrl_site.launch.stage_times import Move, find_spans, measure_stages

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def moves(*steps: tuple[str, int]) -> list[Move]:
    return [(status, START + dt.timedelta(seconds=at)) for status, at in steps]


def test_a_stage_lasts_until_the_next_one_begins():
    times = measure_stages(moves(("planned", 0), ("collecting", 2), ("scoring", 62)))

    assert times == {"planned": 2, "collecting": 60}


def test_the_time_in_which_a_phase_rested_does_not_count():
    steps = moves(
        ("collecting", 0), ("stopped", 10), ("collecting", 500), ("scoring", 520)
    )

    assert measure_stages(steps) == {"collecting": 30}


def test_a_stage_that_was_given_up_is_left_out():
    steps = moves(("collecting", 0), ("training", 10), ("failed", 20))

    assert measure_stages(steps) == {"collecting": 10}


def test_without_a_history_nothing_is_known():
    assert measure_stages([]) == {}


def test_a_stage_spans_the_time_in_which_it_rested():
    steps = moves(
        ("collecting", 0), ("stopped", 10), ("collecting", 500), ("scoring", 520)
    )

    (_, began), (_, ended) = steps[0], steps[-1]
    assert find_spans(steps)["collecting"] == (began, ended)
