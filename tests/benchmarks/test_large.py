"""The benchmark of large shapes, on a shape of two small layers."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from benchmarks import large
from benchmarks.large import Choices, Shape

CPU = torch.device("cpu")
SMALL = ["tokens=32", "action=4", "batch=2", "updates=2"]


def test_speed_and_use_stand_beside_a_plain_loop():
    speed, use = large.run(SMALL)
    assert speed.ours > 0
    assert speed.reference
    assert speed.ratio == pytest.approx(use.ratio)


def test_the_plain_loop_can_be_left_out():
    speed, _ = large.run([*SMALL, "plain=0"])
    assert speed.reference is None


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapter_trains_with_activations_computed_again():
    chosen = large.parse([*SMALL, "lora_rank=2", "checkpointing=1"])
    assert large.train(chosen, CPU) > 0
    assert large.train_plainly(chosen, CPU) > 0


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_frozen_weights_may_be_bfloat16_beside_an_adapter():
    rounded = [*SMALL, "lora_rank=2", "precision=bfloat16", "frozen_weights=bfloat16"]
    chosen = large.parse(rounded)
    types = {w.requires_grad: w.dtype for w in large.build(chosen, CPU).parameters()}
    assert types == {True: torch.float32, False: torch.bfloat16}
    assert "frozen weights in bfloat16" in chosen.describe()
    assert large.train(chosen, CPU) > 0
    assert large.train_plainly(chosen, CPU) > 0


def test_the_shape_has_the_published_number_of_weights():
    shape = large.SHAPES["llama-3.1-8b"]
    words = 2 * shape.vocabulary * shape.width
    norms = (2 * shape.layers + 1) * shape.width
    assert shape.layers * shape.layer_weights + words + norms == 8_030_261_248


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapter_is_counted_as_it_is_built():
    chosen = large.parse([*SMALL, "lora_rank=2"])
    trained = [w for w in large.build(chosen, CPU).parameters() if w.requires_grad]
    built = sum(weight.numel() for weight in trained)
    assert large.count_adapter(chosen.find_shape(), 2) == built


def test_operations_are_counted_by_hand(monkeypatch):
    # One layer of 16 + 16 + 8 + 8 weights of attention and 3 x 4 x 5 others: 108.
    shape = Shape(7, 4, 5, layers=1, heads=2, key_value_heads=1)
    monkeypatch.setitem(large.SHAPES, "hand", shape)
    chosen = Choices(shape="hand", tokens=10, action=3)
    body = 2 * 3 * 108 * 10
    attention = 2 * 3 * 4 * 10 * 10
    head = 2 * 3 * 7 * 4 * 3
    assert large.count_flops(chosen) == body + attention + head
    # Frozen weights save one of three passes; the adapter's own have all three.
    frozen = dataclasses.replace(chosen, lora_rank=1)
    adapter = 2 * 3 * large.count_adapter(shape, 1) * 10
    saved = body // 3 * 2 + attention + head // 3 * 2 + adapter
    assert large.count_flops(frozen) == saved


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("colour=1", "Unknown choice colour; known are shape, layers"),
        ("shape=whale", "Unknown shape whale; known are tiny"),
        ("tokens=many", "tokens cannot be 'many'"),
        ("updates=1", "updates must be 2 or more"),
        ("precision=coarse", "precision must be one of auto, native"),
    ],
)
def test_an_impossible_choice_is_refused_with_what_is_possible(choice, told):
    with pytest.raises(SystemExit, match=told):
        large.parse([choice])
