from __future__ import annotations

import torch

from training.rl.trainers import training_arguments
from training.rl.webrl_config import WebRLConfig

CONFIG = WebRLConfig(batch_size=8, micro_batch_size=2, precision="float32")


def arguments(folder):
    return training_arguments(folder, CONFIG, learning_rate=1e-3, epochs=1, seed=0)


def test_the_runs_precision_decides_not_the_launchers(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    assert arguments(tmp_path).mixed_precision == "no"


def test_one_process_uses_one_of_several_gpus(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _: None)
    found = arguments(tmp_path)
    assert (found.n_gpu, found.train_batch_size) == (1, 2)
