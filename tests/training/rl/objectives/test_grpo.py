from __future__ import annotations

import math
import statistics

import pytest
import torch

from tests.training.rl.objectives import library
from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives import grpo
from training.rl.objectives.types import Actions, Episode
from training.rl.webrl_config import WebRLConfig

WITH_KL, WITHOUT_KL = WebRLConfig(), WebRLConfig(use_kl=False)


def test_on_the_behaviour_policy_the_loss_is_minus_the_advantage():
    loss = grpo.loss(make_actions([[-1.0, -2.0]], [0.75]), WITH_KL)
    assert loss.item() == pytest.approx(-0.75)


def test_the_gradient_on_the_behaviour_policy_is_the_policy_gradient():
    actions = make_actions([[-1.0, -2.0]], [0.75])
    grpo.loss(actions, WITHOUT_KL).sum().backward()
    assert actions.log_probabilities.grad.tolist() == [[-0.375, -0.375]]


@pytest.mark.parametrize(
    ("advantage", "shift", "expected"),
    [(1.0, math.log(2), -1.2), (-1.0, math.log(2), 2.0), (-1.0, -math.log(2), 0.8)],
)
def test_the_ratio_is_clipped_where_it_helped_enough(advantage, shift, expected):
    actions = make_actions([[-1.0 + shift]], [advantage], behaviour=[[-1.0]])
    assert grpo.loss(actions, WITHOUT_KL).item() == pytest.approx(expected)


def test_the_penalty_is_the_estimate_of_kl_per_token():
    actions = make_actions(
        [[-1.0]], [0.0], behaviour=[[-1.0]], reference=[[-1.0 + math.log(2)]]
    )
    expected = 0.001 * (2 - 1 - math.log(2))
    assert grpo.loss(actions, WITH_KL).item() == pytest.approx(expected)


def test_a_group_s_advantages_are_its_normalised_outcomes():
    episodes = [Episode(1, outcome, (0.5,)) for outcome in (1.0, 0.0, 0.0, 0.0)]
    found = [targets[0].advantage for targets in grpo.targets(episodes, WITH_KL)]
    spread = statistics.pstdev([1, 0, 0, 0]) + 1e-4
    assert found == pytest.approx([0.75 / spread] + [-0.25 / spread] * 3)


def test_a_group_without_a_difference_is_left_out():
    episodes = [Episode(1, 1.0, (0.5,)), Episode(1, 1.0, (0.5,))]
    found = grpo.targets(episodes, WITH_KL)
    assert {targets[0].left_out for targets in found} == {grpo.ALL_ALIKE}


def test_a_long_episode_weighs_as_much_as_a_short_one():
    episodes = [Episode(1, 1.0, (0.5,)), Episode(1, 0.0, (0.5,) * 3)]
    found = grpo.targets(episodes, WITH_KL)
    assert [sum(t.weight for t in targets) for targets in found] == [2, 2]


def test_the_loss_is_the_library_s():
    actions = make_actions(
        [[-1.0, -2.0, 0.0], [-0.5, -3.0, -1.0]],
        [0.9, -0.4],
        behaviour=[[-1.3, -1.9, 0.0], [-1.0, -2.0, -1.1]],
        reference=[[-1.1, -2.2, 0.0], [-0.7, -2.5, -1.2]],
        lengths=[2, 3],
    )
    ours = grpo.loss(actions, WITH_KL).mean()
    assert ours.item() == pytest.approx(library.grpo_loss(actions).item())


@pytest.mark.parametrize("shift", [-100.0, 100.0])
@pytest.mark.parametrize("advantage", [-1.0, 1.0])
def test_a_token_far_from_its_reference_keeps_loss_and_gradient_finite(
    shift, advantage
):
    current = torch.tensor([[-101.0 + max(shift, 0.0)]], requires_grad=True)
    other = current.detach() - shift
    advantages = torch.tensor([advantage])
    actions = Actions(current, other, other, advantages, torch.tensor([[True]]))
    loss = grpo.loss(actions, WITH_KL)
    loss.sum().backward()
    assert loss.isfinite().all()
    assert current.grad.isfinite().all()


def test_the_weights_of_the_steps_that_count_have_mean_one():
    alike = [Episode(2, 0.0, (0.5,) * 14)] * 2
    differing = [Episode(1, 1.0, (0.5,)), Episode(1, 0.0, (0.5,) * 3)]
    found = grpo.targets([*alike, *differing], WITH_KL)
    used = [target.weight for part in found for target in part if not target.left_out]
    assert statistics.fmean(used) == pytest.approx(1.0)
