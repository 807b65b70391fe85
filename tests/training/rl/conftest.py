"""Tiny models and a tiny tokenizer, built in the test."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.training.rl import tiny
from tests.training.rl.tiny import CLICK, PAGE, make_trajectory, write_lines
from training.rl.encoding import Encoder

__all__ = ["CLICK", "PAGE", "make_trajectory", "write_lines"]


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Two threads of so small a model wait for each other most of the time."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tokenizer():
    return tiny.build_tokenizer()


@pytest.fixture
def model(tokenizer):
    return tiny.build_model(tokenizer)


@pytest.fixture
def encoder(tokenizer):
    return Encoder(tokenizer, max_prompt_tokens=200, max_action_tokens=16)


@pytest.fixture
def training_directory(tmp_path: Path, model, tokenizer) -> Path:
    """A directory ready to train: six trajectories, half of them successes."""
    return tiny.write_training_directory(tmp_path, model, tokenizer)
