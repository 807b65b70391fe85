from __future__ import annotations

import math

import pytest
import torch

from training.rl.phase.losses import critic_loss, kl_estimate


def test_critic_loss_of_an_undecided_critic_is_log_two():
    loss = critic_loss(torch.zeros(3, 2), torch.tensor([0.0, 1.0, 1.0]))
    assert loss.tolist() == pytest.approx([math.log(2)] * 3)


def test_kl_estimate_is_zero_at_the_reference_and_positive_elsewhere():
    found = kl_estimate(torch.tensor([0.0, 0.7, -0.7]))
    assert found[0] == 0
    assert (found[1:] > 0).all()
