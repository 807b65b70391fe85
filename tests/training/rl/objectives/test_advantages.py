from __future__ import annotations

import pytest

from training.rl.objectives.advantages import reference_advantages, two_point_advantages


def test_three_steps_of_a_success_match_the_hand_computed_values():
    found = two_point_advantages([0.2, 0.5, 0.8], 1.0, 0.5)
    assert found == pytest.approx(
        [
            0.5 * (0.5 - 0.2) + 0.5 * (1 - 0.2),
            0.5 * (0.8 - 0.5) + 0.5 * (1 - 0.5),
            0.5 * (1 + 0 - 0.8) + 0.5 * (1 - 0.8),
        ]
    )


def test_every_step_of_a_hopeless_failure_has_zero_advantage():
    assert two_point_advantages([0.0, 0.0], 0.0, 0.5) == [0.0, 0.0]


def test_a_step_into_a_worse_state_is_negative_even_in_a_failure():
    first, second = two_point_advantages([0.9, 0.1], 0.0, 0.5)
    assert first < second < 0


def test_lambda_one_is_the_one_step_advantage():
    assert two_point_advantages([0.3, 0.6], 1.0, 1.0) == pytest.approx([0.3, 0.4])


def test_reference_advantages_stay_within_one():
    found = reference_advantages([0.1, 0.2, 0.3], 0.9, 1.0)
    assert found == [1.0, 1.0, 1.0]


def test_reference_advantage_of_a_failed_step_needs_a_rising_value():
    up, flat = reference_advantages([0.1, 0.3], 0.3, 0.0)
    assert up == pytest.approx(0.15)
    assert flat == pytest.approx(-0.05)
