"""Two processes are one training: the same batches, the same weights."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist
from safetensors.torch import load_file

from training.rl.scale import parallel
from training.rl.scale.parallel import pad_to_multiple
from training.rl.trainers import BucketedSampler, count_micro_batches
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig

ROOT = Path(__file__).resolve().parents[4]
TWO = ["torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m"]


def train(directory: Path, *launcher: str) -> None:
    environment = os.environ | {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *launcher, "training.rl.phase.train"]
    done = subprocess.run(
        [*command, str(directory)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        # Ends one that hangs; a busy machine takes minutes.
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def read_metrics(directory: Path) -> dict[tuple[str, int], float]:
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({(row["name"], row["step"]) for row in rows}) == len(rows)
    return {(row["name"], row["step"]): row["value"] for row in rows}


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(training_directory, tmp_path):
    other = tmp_path / "two"
    shutil.copytree(training_directory, other)
    train(training_directory)
    train(other, *TWO)
    one, two = read_metrics(training_directory), read_metrics(other)
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert two[name] == pytest.approx(value, rel=1e-4, abs=1e-5), name
    for part in ("critic", "policy"):
        first, second = (
            load_file(directory / part / "model.safetensors")
            for directory in (training_directory, other)
        )
        for name, tensor in first.items():
            assert tensor.sub(second[name]).abs().max() < 1e-5, name


def test_the_others_wait_for_hours_while_the_first_process_scores(monkeypatch):
    given: dict[str, Any] = {}
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(
        dist, "init_process_group", lambda backend, **options: given.update(options)
    )
    parallel.start()
    # As docs/large_models.md estimates for a phase of an 8B model.
    assert given["timeout"] > datetime.timedelta(hours=8)


def test_a_padded_step_holds_every_row_once_and_padding_by_its_mark():
    lengths = [5, 1, 4, 2, 3, 9, 7]
    plain = list(BucketedSampler(lengths, 4, seed=3))
    padded = BucketedSampler(lengths, 4, seed=3, share=4)
    found = list(padded)
    assert len(found) == len(padded) == 8
    assert [i for i in found if i < 7] == plain
    assert pad_to_multiple([2, 5, 1], 4, 7) == [2, 5, 1, 9]


def test_the_batch_is_that_of_all_processes_together(monkeypatch):
    config = WebRLConfig(batch_size=16, micro_batch_size=2)
    found = []
    for processes in ("1", "2", "8"):
        monkeypatch.setenv("WORLD_SIZE", processes)
        found.append(count_micro_batches(config))
    assert found == [8, 4, 1]


def test_a_batch_that_cannot_be_dealt_out_is_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(TrainingDataError, match="batch_size 16 is no multiple"):
        count_micro_batches(WebRLConfig(batch_size=16))
