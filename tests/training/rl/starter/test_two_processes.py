from __future__ import annotations

import pytest
import torch

from training.rl.starter import architecture, attention
from training.rl.starter.curricula.induction import RepeatedSequences
from training.rl.starter.curricula.sequences import masked_loss
from training.rl.starter.two_processes import TwoProcesses


@pytest.fixture
def model():
    model = architecture.new_model(0, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    model.set_attn_implementation(attention.NAME)
    return model


@pytest.fixture
def rows():
    return RepeatedSequences(600, 4, 0).next_batch()


def gradient(model):
    return torch.cat([p.grad.flatten() for p in model.parameters()])


def test_two_processes_give_the_mean_gradient_of_four_quarters(model, rows):
    expected = []
    for row in rows:
        model.zero_grad()
        torch.autograd.backward(masked_loss(model, [row])[0])
        expected.append(gradient(model))
    with TwoProcesses(model) as both:
        both.backward(rows)
    assert torch.allclose(gradient(model), sum(expected) / 4, atol=1e-6)


def test_both_processes_see_a_changed_weight(model, rows):
    with TwoProcesses(model) as both:
        before, _ = both.backward(rows)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(1.5)
        after, _ = both.backward(rows)
    expected = [float(masked_loss(model, [row])[0].detach()) for row in rows]
    assert after != before
    assert after == pytest.approx(sum(expected) / 4, rel=1e-4)
