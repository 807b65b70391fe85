"""Which tasks a phase attempts, and at which temperature."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from curriculum.evolution.mixture import (
    count_evolved,
    draw_weighted,
    rate_learnability,
    share_by_weight,
    take_turns,
    weigh_seed,
)
from curriculum.phase_config import RolloutConfig


@pytest.mark.parametrize(
    ("value", "weight"),
    [(None, 1), (0.05, 1), (0.75, 1), (0.04, 0.25), (0.76, 0.25)],
)
def test_seeds_in_the_band_or_without_a_value_weigh_most(value, weight):
    assert weigh_seed(value, 0.05, 0.75) == weight


def test_a_heavier_task_comes_first_as_often_as_it_weighs():
    rng = random.Random(0)

    first = Counter(draw_weighted([1, 2], {1: 0.25}, rng)[0] for _ in range(4000))

    # 1 / 1.25 of the draws; four standard deviations of 4,000 are 0.025.
    assert first[2] / 4000 == pytest.approx(0.8, abs=0.026)


def test_the_same_seed_draws_the_same_order_of_all_tasks():
    one = draw_weighted(range(50), {3: 0.25}, random.Random(7))

    assert one == draw_weighted(range(50), {3: 0.25}, random.Random(7))
    assert sorted(one) == list(range(50))


def test_templates_take_turns_and_keep_their_own_order():
    templates = {1: "a", 2: "a", 3: "a", 4: "b", 5: "c", 6: "c"}
    assert take_turns([3, 1, 2, 4, 6, 5], templates) == [3, 4, 6, 1, 5, 2]


@pytest.mark.parametrize(
    ("solved", "attempts", "rate"),
    [(0, 0, 0.25), (5, 10, 0.25), (0, 10, 0.0434), (10, 10, 0.0434)],
)
def test_a_template_that_succeeds_at_times_teaches_most(solved, attempts, rate):
    assert rate_learnability(solved, attempts) == pytest.approx(rate, abs=1e-4)


def test_templates_have_shares_in_proportion_to_their_weights():
    templates = dict.fromkeys(range(100), "a") | dict.fromkeys(range(100, 200), "b")

    ordered = share_by_weight(range(200), templates, {"a": 0.24, "b": 0.06})

    first = Counter(templates[task] for task in ordered[:50])
    assert first == {"a": 40, "b": 10}


def test_every_template_has_a_task_before_any_has_two():
    templates = dict.fromkeys(range(9), "a") | {9: "b", 10: "c"}

    ordered = share_by_weight(range(11), templates, {"a": 0.25, "b": 0.01, "c": 0.02})

    assert ordered == [0, 10, 9, 1, 2, 3, 4, 5, 6, 7, 8]


def test_no_task_is_lost_where_there_is_none():
    assert take_turns([], {}) == []


@pytest.mark.parametrize(
    ("available", "share", "expected"),
    [(500, 1.0, 200), (50, 1.0, 50), (500, 0.5, 100), (500, 0.0, 0)],
)
def test_evolved_tasks_take_their_share_at_most(available, share, expected):
    assert count_evolved(200, available, share) == expected


@pytest.mark.parametrize(
    ("phase", "expected"), [(1, 1.0), (2, 0.875), (5, 0.5), (9, 0.5)]
)
def test_the_temperature_moves_in_equal_steps(phase, expected):
    config = RolloutConfig(final_temperature=0.5, temperature_phases=5)

    assert config.temperature_in(phase) == expected


def test_without_a_final_temperature_it_stays():
    assert RolloutConfig(training_temperature=0.7).temperature_in(30) == 0.7
