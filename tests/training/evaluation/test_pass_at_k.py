from __future__ import annotations

import itertools

import pytest

from training.evaluation.pass_at_k import pass_at_k


@pytest.mark.parametrize(("attempts", "successes", "k"), [(5, 2, 1), (6, 1, 3)])
def test_it_is_the_share_of_choices_that_hold_a_success(attempts, successes, k):
    outcomes = [True] * successes + [False] * (attempts - successes)
    choices = [any(choice) for choice in itertools.combinations(outcomes, k)]
    expected = sum(choices) / len(choices)
    assert pass_at_k(attempts, successes, k) == pytest.approx(expected)


def test_one_attempt_is_the_success_rate():
    assert pass_at_k(8, 2, 1) == pytest.approx(0.25)


def test_more_attempts_than_failures_always_hold_a_success():
    assert pass_at_k(8, 1, 8) == 1.0
    assert pass_at_k(8, 0, 8) == 0.0


def test_k_cannot_exceed_the_attempts():
    with pytest.raises(ValueError, match="k must lie"):
        pass_at_k(3, 1, 4)


def test_successes_cannot_exceed_the_attempts():
    with pytest.raises(ValueError, match="successes must lie"):
        pass_at_k(3, 4, 1)
