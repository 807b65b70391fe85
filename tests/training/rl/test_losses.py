from __future__ import annotations

import math

import pytest
import torch

from training.rl.losses import critic_loss, policy_loss, reference_policy_loss
from training.rl.trainers import kl_estimate


def test_policy_loss_is_zero_where_the_policy_is_the_closed_form_optimum():
    advantage = torch.tensor([0.4, -0.3], dtype=torch.float64)
    assert policy_loss(advantage / 0.2, advantage, 0.2).tolist() == [0.0, 0.0]


def test_policy_loss_pushes_a_good_action_up_and_a_bad_one_down():
    log_ratio = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    policy_loss(log_ratio, torch.tensor([0.5, -0.5]), 0.3).sum().backward()
    up, down = log_ratio.grad.tolist()
    assert up < 0 < down


def test_policy_loss_pulls_back_an_action_far_above_its_target():
    log_ratio = torch.tensor([9.0], dtype=torch.float64, requires_grad=True)
    policy_loss(log_ratio, torch.tensor([0.5]), 0.3).sum().backward()
    assert log_ratio.grad.item() > 0


def test_reference_loss_ignores_steps_with_negative_advantage():
    loss = reference_policy_loss(
        torch.tensor([0.5, 0.5]),
        torch.tensor([0.1, -0.1]),
        torch.tensor([4, 4]),
        torch.tensor([-4.0, -4.0]),
    )
    assert loss[0] > 0
    assert loss[1] == 0


def test_critic_loss_of_an_undecided_critic_is_log_two():
    loss = critic_loss(torch.zeros(3, 2), torch.tensor([0.0, 1.0, 1.0]))
    assert loss.tolist() == pytest.approx([math.log(2)] * 3)


def test_kl_estimate_is_zero_at_the_reference_and_positive_elsewhere():
    found = kl_estimate(torch.tensor([0.0, 0.7, -0.7]))
    assert found[0] == 0
    assert (found[1:] > 0).all()
