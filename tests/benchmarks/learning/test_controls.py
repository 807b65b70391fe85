from __future__ import annotations

import pytest
import torch

from benchmarks.learning.controls import FirstTokenBias, first_exit_token
from tests.training.rl.conftest import encoder, model, tokenizer  # noqa: F401

PROMPT = torch.tensor([[7, 8, 9]])


def test_only_the_first_token_of_an_answer_is_biased(model):  # noqa: F811
    biased = FirstTokenBias(model, {5: 2.0})
    plain = model(input_ids=PROMPT, use_cache=True)
    found = biased(input_ids=PROMPT, use_cache=True)
    gap = found.logits[:, -1] - plain.logits[:, -1]
    assert gap[0, 5].item() == pytest.approx(2.0, abs=1e-5)
    assert gap.abs().sum().item() == pytest.approx(2.0, abs=1e-4)
    later = {"input_ids": PROMPT[:, :1], "past_key_values": plain.past_key_values}
    again = {"input_ids": PROMPT[:, :1], "past_key_values": found.past_key_values}
    assert torch.allclose(model(**later).logits, biased(**again).logits)


def test_an_exit_and_an_action_begin_differently(encoder):  # noqa: F811
    click = encoder.encode_action('do(action="Click", element="1")')[0]
    comment = encoder.encode_action("# Element: Home")[0]
    assert first_exit_token(encoder) not in {click, comment}
