from __future__ import annotations

import pytest
import torch

from training.rl.starter import architecture, attention


@pytest.fixture
def model():
    return architecture.new_model(0, bos_token_id=1, eos_token_id=2, pad_token_id=0)


def test_plain_products_give_what_the_fused_kernel_gives(model):
    ids = torch.randint(3, 600, (3, 40), generator=torch.Generator().manual_seed(0))
    expected = model(input_ids=ids, use_cache=False).logits
    model.set_attn_implementation(attention.NAME)
    found = model(input_ids=ids, use_cache=False).logits
    assert torch.allclose(found, expected, atol=1e-4)


def test_no_token_sees_a_later_one(model):
    model.set_attn_implementation(attention.NAME)
    ids = torch.arange(10, 20)[None]
    other = ids.clone()
    other[0, 6:] += 30
    before = model(input_ids=ids, use_cache=False).logits[0, :6]
    after = model(input_ids=other, use_cache=False).logits[0, :6]
    assert torch.equal(before, after)
