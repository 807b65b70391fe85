"""The shapes of large models, small and with random weights, through a phase."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file
from transformers import (
    Glm4Config,
    Glm4ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from training.rl import checkpoints, process
from training.rl.critic import Critic
from training.rl.phase.trainer import PhaseTrainer
from training.rl.training_data import read_spec

SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "tie_word_embeddings": False,
}
# Llama 3.1 stretches its positions; GLM-4 rotates half of a head.
LLAMA_POSITIONS = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
SHAPES = {
    "llama-3.1": lambda **sizes: LlamaForCausalLM(
        LlamaConfig(
            max_position_embeddings=131072, rope_parameters=LLAMA_POSITIONS, **sizes
        )
    ),
    "glm-4": lambda **sizes: Glm4ForCausalLM(Glm4Config(**sizes)),
    "qwen-3": lambda **sizes: Qwen3ForCausalLM(Qwen3Config(**sizes)),
}


def train(directory) -> dict[str, float]:
    found: dict[str, float] = {}
    PhaseTrainer(
        directory,
        read_spec(directory),
        report=lambda name, step, value: found.__setitem__(name, value),
        on_progress=lambda part, done, total: None,
        callbacks=lambda part: process.make_callbacks(
            process.Reporter(directory), part, 60
        ),
    ).run()
    return found


def change_config(directory, **changes) -> None:
    spec = json.loads((directory / "spec.json").read_text())
    spec["config"] |= changes
    (directory / "spec.json").write_text(json.dumps(spec))


def put_start(directory, model, tokenizer) -> None:
    checkpoints.save_checkpoint(directory.parent / "p0", model, tokenizer)
    Critic(model.get_decoder(), None).save(directory.parent / "c0", tokenizer)


# The adapters' library asks a model in words that are going out of use.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.parametrize("rank", [0, 4], ids=["full", "lora"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_goes_through_a_phase(training_directory, tokenizer, shape, rank):
    torch.manual_seed(0)
    model = SHAPES[shape](vocab_size=len(tokenizer), pad_token_id=None, **SIZES)
    put_start(training_directory, model, tokenizer)
    change_config(training_directory, lora_rank=rank, policy_epochs=3)
    change_config(training_directory, gradient_checkpointing=True)
    found = train(training_directory)
    assert found["train/objective_after"] < found["train/objective_before"]
    trained = load_file(training_directory / "policy" / "model.safetensors")
    assert trained.keys() == model.state_dict().keys()


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_adapters_on_bfloat16_weights_leave_the_others_as_they_were_read(
    training_directory, tokenizer
):
    torch.manual_seed(0)
    model = SHAPES["llama-3.1"](vocab_size=len(tokenizer), **SIZES)
    put_start(training_directory, model, tokenizer)
    change_config(training_directory, lora_rank=4, critic_lora_rank=4, policy_epochs=3)
    change_config(training_directory, precision="bfloat16", frozen_weights="bfloat16")
    found = train(training_directory)
    assert found["train/objective_after"] < found["train/objective_before"]
    for first, last in (("p0", "policy"), ("c0", "critic")):
        before = load_file(training_directory.parent / first / "model.safetensors")
        after = load_file(training_directory / last / "model.safetensors")
        assert {tensor.dtype for tensor in after.values()} == {torch.float32}
        same = {name for name in before if torch.equal(before[name], after[name])}
        assert same == {name for name in before if "_proj." not in name}


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_a_critic_with_an_adapter_learns_and_is_saved_as_plain_weights(
    training_directory, tokenizer
):
    torch.manual_seed(0)
    model = SHAPES["llama-3.1"](vocab_size=len(tokenizer), **SIZES)
    put_start(training_directory, model, tokenizer)
    change_config(training_directory, critic_lora_rank=4, gradient_checkpointing=True)
    train(training_directory)
    before, after = (
        load_file(path / "model.safetensors")
        for path in (training_directory.parent / "c0", training_directory / "critic")
    )
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {name for name in before if "_proj." in name}


def test_bfloat16_goes_through_the_model_s_own_forward(training_directory):
    seen = set()

    def watch(module, inputs, output):
        seen.add(output.dtype)

    handle = torch.nn.modules.module.register_module_forward_hook(
        lambda module, inputs, output: (
            watch(module, inputs, output)
            if isinstance(module, torch.nn.Linear) and torch.is_grad_enabled()
            else None
        )
    )
    change_config(training_directory, precision="bfloat16", critic_epochs=0)
    train(training_directory)
    handle.remove()
    assert seen == {torch.bfloat16}


def test_a_tokenizer_without_padding_pads_with_the_token_kept_for_it(
    tmp_path, tokenizer
):
    tokenizer.save_pretrained(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    config = json.loads(path.read_text())
    config.pop("pad_token")
    path.write_text(json.dumps(config))
    assert checkpoints.load_tokenizer(tmp_path).pad_token == "<|pad|>"
