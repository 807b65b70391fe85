from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from tests.training.rl.conftest import PAGE
from training.rl.batching import collate
from training.rl.critic import Critic, ValueEstimator
from training.rl.encoding import Example


def test_an_instruction_that_is_too_long_to_read_has_no_value(
    tmp_path: Path, model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast
) -> None:
    Critic(model.get_decoder(), None).save(tmp_path, tokenizer)
    critic = ValueEstimator(tmp_path, max_prompt_tokens=200, budget=8192)
    first, second = ("Find lamp 1", PAGE), ("Find lamp 2", PAGE)

    values = critic.estimate([first, ("Find the Blue Oak Lamp " * 100, PAGE), second])

    assert values[1] == 0
    assert [values[0], values[2]] == pytest.approx(critic.estimate([first, second]))
    assert 0 < values[0] < 1


def test_its_layers_can_be_shared_out_like_the_bodys(model):
    body = model.get_decoder()
    assert Critic(body, None)._no_split_modules == body._no_split_modules


def test_its_heads_stay_float32_where_passes_are_bfloat16(model):
    critic = Critic(model.get_decoder(), None)
    batch = collate([Example((1, 2, 3), 3), Example((4, 5), 2)], [0, 1], pad_id=0)
    with torch.autocast("cpu", torch.bfloat16):
        logits = critic(batch)
    assert logits.dtype == torch.float32
    assert not logits.equal(logits.bfloat16().float())
