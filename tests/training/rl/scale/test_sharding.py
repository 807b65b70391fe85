"""Weights shared out with FSDP: gradients are summed in float32, once a pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import yaml
from accelerate.utils import DeepSpeedPlugin, FullyShardedDataParallelPlugin

from tests.training.rl.phase.helpers import change_config
from tests.training.rl.scale.test_processes import TWO, start
from training.rl import launch
from training.rl.scale.lora import add_adapter
from training.rl.scale.sharding import sharding_options
from training.rl.trainers import training_arguments
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig

CONFIGS = Path(__file__).parents[4] / "training" / "rl" / "scale" / "configs"


@pytest.mark.slow
def test_two_processes_sum_gradients_of_bfloat16_passes_in_float32(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("FSDP_VERSION", "2")
    start(*TWO, "tests.training.rl.scale.summed_gradients", str(tmp_path))
    for rank in ("0", "1"):
        by_itself, as_chosen = json.loads((tmp_path / rank).read_text())
        # bfloat16 has no 257.
        assert (by_itself, as_chosen) == (128.0, 128.5)


@pytest.mark.parametrize("version", ["1", "2"])
def test_accelerate_takes_the_policy_and_keeps_it(version, monkeypatch):
    monkeypatch.setenv("FSDP_VERSION", version)
    plugin = FullyShardedDataParallelPlugin(**sharding_options(is_bfloat16=True))
    plugin.set_mixed_precision("bf16")
    policy = plugin.mixed_precision_policy
    assert (policy.param_dtype, policy.reduce_dtype) == (torch.bfloat16, torch.float32)


def make_arguments(folder, **settings):
    config = WebRLConfig(**settings)
    return training_arguments(folder, config, learning_rate=1e-6, epochs=1, seed=1)


def test_what_is_shared_out_keeps_no_whole_gradients(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    arguments = make_arguments(tmp_path, precision="bfloat16")
    assert "mixed_precision_policy" in arguments.fsdp_plugin_args
    found = arguments.accelerator_config.gradient_accumulation_kwargs
    assert found == {"sync_each_batch": True}


def test_float32_passes_need_no_policy(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    assert make_arguments(tmp_path, precision="float32").fsdp_plugin_args == {}


def test_processes_with_whole_models_accumulate_by_themselves(tmp_path):
    arguments = make_arguments(tmp_path)
    assert arguments.fsdp_plugin_args is None
    assert arguments.accelerator_config.gradient_accumulation_kwargs is None


def test_deepspeed_sums_gradients_in_float32_too(monkeypatch):
    config = yaml.safe_load((CONFIGS / "zero3.yaml").read_text())
    named = CONFIGS.parents[3] / config["deepspeed_config"]["deepspeed_config_file"]
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_CONFIG_FILE", str(named))
    plugin = DeepSpeedPlugin()
    plugin.set_mixed_precision("bf16")
    assert plugin.deepspeed_config["bf16"] == {"enabled": True}
    assert plugin.deepspeed_config["communication_data_type"] == "fp32"
    assert plugin.zero_stage == 3
    # accelerate refuses both a file and this value of its own.
    assert "mixed_precision" not in config


def test_every_process_loads_the_models_that_it_scores_with():
    config = yaml.safe_load((CONFIGS / "fsdp2.yaml").read_text())
    assert config["fsdp_config"]["fsdp_cpu_ram_efficient_loading"] is False


def test_an_adapter_on_weights_that_are_shared_out_is_refused(model, monkeypatch):
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    assert add_adapter(model, 0, seed=0) is model
    with pytest.raises(TrainingDataError, match=r"launch with ddp\.yaml"):
        add_adapter(model, 4, seed=0)


def test_a_phase_with_an_adapter_is_refused_before_its_critic_trains(
    training_directory, monkeypatch
):
    change_config(training_directory, lora_rank=4)
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    with pytest.raises(launch.TrainingFailed, match="Adapters cannot be trained"):
        launch.train_phase(
            training_directory,
            threads=1,
            on_progress=lambda progress: None,
            should_stop=lambda: False,
        )
    assert not (training_directory / "critic").exists()
