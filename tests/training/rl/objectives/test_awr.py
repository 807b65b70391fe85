from __future__ import annotations

import math

import pytest

from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives import awr
from training.rl.objectives.types import Episode
from training.rl.webrl_config import WebRLConfig

CONFIG = WebRLConfig(beta=0.5)


def test_an_action_weighs_exp_of_its_advantage_over_beta():
    loss = awr.loss(make_actions([[-1.0, -2.0]], [0.25]), CONFIG)
    assert loss.item() == pytest.approx(3 * math.exp(0.5))


def test_a_weight_is_at_most_twenty():
    loss = awr.loss(make_actions([[-1.0]], [9.0]), CONFIG)
    assert loss.item() == 20


def test_the_return_is_discounted_and_the_value_taken_from_it():
    (targets,) = awr.targets([Episode(1, 1.0, (0.5, 0.25))], CONFIG)
    assert [target.advantage for target in targets] == pytest.approx([0.4, 0.75])
