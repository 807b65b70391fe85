from __future__ import annotations

import pytest
import torch

from tests.training.rl.conftest import make_trajectory
from training.rl.batching import collate
from training.rl.phase.scoring import encode_trajectory, score_actions
from training.rl.policy import action_log_probabilities


def test_in_bfloat16_an_action_is_scored_as_the_update_computes_it(encoder, model):
    examples = encode_trajectory(encoder, make_trajectory(1, 1.0))
    found = score_actions(model, examples, pad_id=0, budget=4096, precision="bfloat16")
    batch = collate(examples, range(len(examples)), pad_id=0, device=model.device)
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        values, _ = action_log_probabilities(model, batch)
    assert [sum(row) for row in found] == pytest.approx(values.sum(1).tolist())
