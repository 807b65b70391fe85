"""Adapters on weights that are kept in bfloat16."""

from __future__ import annotations

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from training.rl import checkpoints
from training.rl.scale.lora import add_adapter, find_starting_dtype, merge_adapter
from training.rl.webrl_config import WebRLConfig

# The adapters' library asks a model in words that are going out of use.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`is_gradient_checkpointing`:FutureWarning"
)
RANK = 4


@pytest.fixture
def start(tmp_path, tokenizer):
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
        )
    )
    checkpoints.save_checkpoint(tmp_path / "start", model, tokenizer)
    return tmp_path / "start"


def train_adapter(start, dtype):
    """Return a model whose adapter has learnt something, the same for each type."""
    model = checkpoints.load_policy_model(start, dtype=dtype)
    model = add_adapter(model, RANK, seed=0)
    drawn = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        if "lora_" in name:
            weight.data = torch.randn(weight.shape, generator=drawn) / 1000
    return model


@pytest.mark.parametrize(
    ("rank", "frozen_weights", "precision", "expected"),
    [
        (RANK, "bfloat16", "bfloat16", torch.bfloat16),
        (RANK, "bfloat16", "float32", torch.float32),
        (RANK, "float32", "bfloat16", torch.float32),
        (0, "bfloat16", "bfloat16", torch.float32),
    ],
)
def test_only_weights_that_are_rounded_anyway_are_loaded_rounded(
    rank, frozen_weights, precision, expected
):
    config = WebRLConfig(frozen_weights=frozen_weights, precision=precision)
    assert find_starting_dtype(config, rank) == expected


def test_what_is_trained_is_float32(start):
    model = train_adapter(start, torch.bfloat16)
    types = {weight.requires_grad: weight.dtype for weight in model.parameters()}
    assert types == {True: torch.float32, False: torch.bfloat16}


def test_an_adapter_is_merged_into_the_weights_as_they_were_read(start):
    rounded = merge_adapter(train_adapter(start, torch.bfloat16), start)
    exact = merge_adapter(train_adapter(start, torch.float32), start)
    found, expected = rounded.state_dict(), exact.state_dict()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_a_phase_of_small_steps_is_not_rounded_away(start):
    before = checkpoints.load_policy_model(start, dtype=torch.float32).state_dict()
    after = merge_adapter(train_adapter(start, torch.bfloat16), start).state_dict()
    moved = [name for name in before if not torch.equal(before[name], after[name])]
    assert len(moved) == 2 * 7  # every matrix of both layers
