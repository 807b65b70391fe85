from __future__ import annotations

import pytest
import torch

from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives import (
    expert_iteration,
    filtered_bc,
    filtered_bc_replay,
    sft,
)
from training.rl.objectives.types import Episode
from training.rl.webrl_config import WebRLConfig

CONFIG = WebRLConfig()


@pytest.mark.parametrize(
    "objective",
    [sft, filtered_bc, filtered_bc_replay.OBJECTIVE, expert_iteration.OBJECTIVE],
)
def test_the_loss_is_minus_the_actions_log_probability(objective):
    loss = objective.loss(make_actions([[-1.0, -0.25], [-2.0, 0.0]], [1, 1]), CONFIG)
    assert loss.tolist() == [1.25, 2.0]


def test_the_loss_is_the_library_s_cross_entropy_times_the_tokens():
    logits = torch.randn(2, 3, 7, dtype=torch.float64)
    tokens = torch.tensor([[1, 2, 3], [4, 5, 6]])
    chosen = logits.log_softmax(-1).gather(2, tokens[..., None])[..., 0]
    mean = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    loss = sft.loss(make_actions(chosen.tolist(), [1, 1]), CONFIG)
    assert loss.sum().item() == pytest.approx(6 * mean.item())


def test_imitation_keeps_failures_too():
    (targets,) = sft.targets([Episode(1, 0.0, (0.1, 0.2))], CONFIG)
    assert not any(target.left_out for target in targets)


def test_filtered_cloning_keeps_successes_alone_where_most_fail():
    episodes = [Episode(n, float(n == 0), (0.5,)) for n in range(10)]
    found = filtered_bc.targets(episodes, CONFIG)
    assert [bool(targets[0].left_out) for targets in found] == [False] + [True] * 9


def test_filtered_cloning_keeps_successes_where_most_succeed():
    episodes = [Episode(n, float(n > 0), (0.5,)) for n in range(10)]
    found = filtered_bc.targets(episodes, CONFIG)
    assert [bool(targets[0].left_out) for targets in found] == [True] + [False] * 9
