from __future__ import annotations

import pytest
import torch

from training.rl.starter.fitting import WARM_UP, schedule
from training.rl.starter.optimizers import Optimizers


def moved(model, kind, factor=1.0):
    optimizers = Optimizers(model, kind, 1e-2)
    optimizers.scale(factor)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizers.step()
    return {name: p.detach() - before[name] for name, p in model.named_parameters()}


def matrix(changes):
    return next(c for n, c in changes.items() if "embed" not in n and c.ndim == 2)


@pytest.mark.parametrize("kind", ["adamw", "muon"])
def test_every_weight_is_moved(model, kind):
    assert all(change.abs().sum() > 0 for change in moved(model, kind).values())


def test_muon_moves_a_matrix_alike_in_all_directions(model):
    """The singular values of an orthogonal update are about equal."""
    torch.manual_seed(0)
    even = torch.linalg.svdvals(matrix(moved(model, "muon")))
    plain = torch.linalg.svdvals(matrix(moved(model, "adamw")))
    assert even.max() / even.min() < plain.max() / plain.min() / 3


def test_a_factor_scales_every_rate(model):
    assert all(not change.any() for change in moved(model, "muon", 0.0).values())


def test_the_rate_rises_stays_and_falls():
    rates = [schedule(step, 1000) for step in range(1000)]
    assert rates[:WARM_UP] == sorted(rates[:WARM_UP])
    assert set(rates[WARM_UP:600]) == {1.0}
    assert rates[600:] == sorted(rates[600:], reverse=True)
    assert 0 < rates[-1] < 0.05
