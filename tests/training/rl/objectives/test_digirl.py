from __future__ import annotations

import pytest

from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives import digirl
from training.rl.objectives.types import Episode
from training.rl.webrl_config import WebRLConfig

CONFIG = WebRLConfig(gae_lambda=0.5, kept_quantile=0.5)


def test_the_loss_is_minus_the_actions_log_probability():
    assert digirl.loss(make_actions([[-1.0, -0.5]], [9.0]), CONFIG).item() == 1.5


def test_the_step_advantage_mixes_outcome_and_change_of_value():
    found = digirl.step_advantages(Episode(1, 1.0, (0.2, 0.6)), 0.5)
    # First: 0.5 * 1 + 0.5 * (0.6 - 0.2). Last: 1 * 1 + 0.
    assert found == pytest.approx([0.7, 1.0])


def test_a_failed_episode_s_last_step_has_no_advantage():
    found = digirl.step_advantages(Episode(1, 0.0, (0.2, 0.6)), 0.5)
    assert found == pytest.approx([0.2, 0.0])


def test_an_expected_outcome_and_a_poor_step_are_left_out_with_their_reason():
    surprise = Episode(1, 1.0, (0.1, 0.9))
    expected = Episode(2, 0.0, (0.4, 0.1))
    found = digirl.targets([surprise, expected], CONFIG)
    reasons = [[target.left_out for target in targets] for targets in found]
    assert reasons == [["", ""], [digirl.POOR_EPISODE] * 2]


def test_a_step_must_gain_more_than_one_over_the_horizon():
    falling = Episode(1, 0.0, (0.3, 0.2))
    (targets,) = digirl.targets([falling], CONFIG)
    assert [target.left_out for target in targets] == [digirl.POOR_STEP] * 2
