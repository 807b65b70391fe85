"""What a server adds to its own weights is what all phases have learnt."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel

from tests.training.rl.scale.test_shapes import train
from training.rl import checkpoints
from training.rl.scale.adapters import save_sum
from training.rl.scale.lora import add_adapter, merge_adapter
from training.rl.training_data import TrainingSpec
from training.rl.webrl_config import WebRLConfig

pytestmark = pytest.mark.filterwarnings(
    "ignore:`is_gradient_checkpointing`:FutureWarning"
)


@pytest.fixture
def base(tmp_path: Path, model, tokenizer) -> Path:
    checkpoints.save_checkpoint(tmp_path / "base", model, tokenizer)
    return tmp_path / "base"


def train_phase(
    number: int, base: Path, policy: Path, rank: int = 2, *, anew: bool = False
) -> Path:
    """A phase whose training moves the adapter at random; returns its folder."""
    beginning = base if anew else policy
    spec = TrainingSpec(
        WebRLConfig(lora_rank=rank), seed=number, policy=policy, critic=policy
    )
    before = None if policy == base else policy.parent / "adapter"
    spec = dataclasses.replace(spec, adapter_base=base, adapter_before=before)
    directory = base.parent / f"phase-{number}"
    directory.mkdir()
    tokenizer = checkpoints.load_tokenizer(base)
    model = add_adapter(
        checkpoints.load_policy_model(beginning, dtype=torch.float32), rank, seed=number
    )
    torch.manual_seed(number)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name or rank == 0:
                parameter.add_(0.1 * torch.randn_like(parameter))
    save_sum(model, directory, spec, beginning=beginning)
    checkpoints.save_checkpoint(
        directory / "policy", merge_adapter(model, beginning), tokenizer
    )
    return directory


def ask(model) -> torch.Tensor:
    with torch.no_grad():
        return model(input_ids=torch.tensor([[1, 2, 3, 4]])).logits


@pytest.mark.parametrize("ranks", [(2,), (2, 2), (2, 4, 2)])
@pytest.mark.parametrize("anew", [False, True])
def test_base_and_sum_are_the_last_phases_weights(base, ranks, anew):
    policy = base
    for number, rank in enumerate(ranks, start=1):
        directory = train_phase(number, base, policy, rank, anew=anew)
        policy = directory / "policy"

    served = PeftModel.from_pretrained(
        checkpoints.load_policy_model(base, dtype=torch.float32), directory / "adapter"
    ).eval()
    merged = checkpoints.load_policy_model(policy, dtype=torch.float32).eval()
    start = checkpoints.load_policy_model(base, dtype=torch.float32).eval()
    torch.testing.assert_close(ask(served), ask(merged), atol=1e-5, rtol=1e-5)
    assert not torch.allclose(ask(start), ask(merged), atol=1e-3)
    # A phase that begins anew has not learnt what those before it have.
    assert served.peft_config["default"].r == (ranks[-1] if anew else sum(ranks))


def test_whole_weights_leave_no_adapter(base):
    first = train_phase(1, base, base, rank=0)
    second = train_phase(2, base, first / "policy")
    assert not (first / "adapter").exists()
    assert not (second / "adapter").exists()


def test_a_damaged_adapter_is_not_added_to(base):
    first = train_phase(1, base, base)
    (first / "adapter" / "adapter_model.safetensors").write_bytes(b"x")
    second = train_phase(2, base, first / "policy")
    assert not (second / "adapter").exists()


def test_without_a_server_no_adapter_is_kept(tmp_path, model):
    spec = TrainingSpec(WebRLConfig(lora_rank=2), 1, tmp_path, tmp_path)
    save_sum(add_adapter(model, 2, seed=1), tmp_path, spec, beginning=tmp_path)
    assert list(tmp_path.iterdir()) == []


def write_spec(
    directory: Path, config: dict[str, Any] | None = None, **changed: Any
) -> dict[str, Any]:
    spec = json.loads((directory / "spec.json").read_text()) | changed
    spec["config"] |= {"lora_rank": 2} | (config or {})
    (directory / "spec.json").write_text(json.dumps(spec))
    return spec


def test_a_phases_training_leaves_its_adapter(training_directory):
    policy = write_spec(training_directory)["policy"]
    spec = write_spec(training_directory, adapter_base=policy)
    train(training_directory)
    assert_served_as_trained(training_directory, spec)


def test_expert_iterations_second_phase_hands_over_its_own_adapter(
    tmp_path, training_directory
):
    config = {"objective": "expert_iteration", "policy_learning_rate": 5e-2}
    base = write_spec(training_directory)["policy"]
    write_spec(training_directory, config, adapter_base=base, first=base)
    second = tmp_path / "second"
    shutil.copytree(training_directory, second)
    train(training_directory)
    spec = write_spec(
        second,
        policy=str(training_directory / "policy"),
        critic=str(training_directory / "critic"),
        adapter_before=str(training_directory / "adapter"),
    )
    train(second)
    assert_served_as_trained(second, spec)


def assert_served_as_trained(directory: Path, spec: dict[str, Any]) -> None:
    base = checkpoints.load_policy_model(
        Path(spec["adapter_base"]), dtype=torch.float32
    )
    served = PeftModel.from_pretrained(base, directory / "adapter").eval()
    made = directory / "policy"
    merged = checkpoints.load_policy_model(made, dtype=torch.float32).eval()
    torch.testing.assert_close(ask(served), ask(merged), atol=1e-5, rtol=1e-5)
