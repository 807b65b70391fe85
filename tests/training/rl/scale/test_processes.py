"""Two processes are one training: the same batches, the same weights."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch.distributed as dist
from safetensors.torch import load_file

from tests.training.rl.orm.helpers import write_orm_directory
from tests.training.rl.phase.helpers import scores
from tests.training.rl.sft.helpers import write_sft_directory
from training.rl.orm import train as orm
from training.rl.phase import train as phase
from training.rl.scale import parallel
from training.rl.scale.parallel import pad_to_multiple
from training.rl.sft import train as sft
from training.rl.trainers import BucketedSampler, count_micro_batches
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig

ROOT = Path(__file__).resolve().parents[4]
TrainTwice = Callable[[ModuleType, Path], Path]
TWO = ["torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m"]


def start(*command: str) -> None:
    environment = os.environ | {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        # Ends one that hangs; a busy machine takes minutes.
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Train in the test's own process: another would import torch once more."""
    monkeypatch.setenv("ACCELERATE_USE_CPU", "true")
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def train_twice(on_cpu: None) -> TrainTwice:
    """Train a directory in one process, and its copy, which is returned, in two."""

    def train(module: ModuleType, directory: Path) -> Path:
        copy = directory.with_name(f"{directory.name}-two")
        shutil.copytree(directory, copy)
        module.train(directory)
        start(*TWO, module.__name__, str(copy))
        return copy

    return train


def read_metrics(directory: Path) -> dict[tuple[str, int], float]:
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({(row["name"], row["step"]) for row in rows}) == len(rows)
    return {(row["name"], row["step"]): row["value"] for row in rows}


def assert_same_metrics(one: Path, two: Path) -> None:
    assert_same_numbers(read_metrics(one), read_metrics(two))


def assert_same_numbers(one: Mapping[Any, Any], two: Mapping[Any, Any]) -> None:
    assert one.keys() == two.keys()
    for name, value in one.items():
        is_exact = not isinstance(value, float)
        wanted = value if is_exact else pytest.approx(value, rel=1e-4, abs=1e-5)
        assert two[name] == wanted, name


def assert_same_weights(one: Path, two: Path) -> None:
    first, second = (load_file(part / "model.safetensors") for part in (one, two))
    for name, tensor in first.items():
        assert tensor.sub(second[name]).abs().max() < 1e-5, name


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(training_directory, train_twice):
    other = train_twice(phase, training_directory)
    assert_same_metrics(training_directory, other)
    for part in ("critic", "policy"):
        assert_same_weights(training_directory / part, other / part)
    one, two = scores(training_directory), scores(other)
    assert one
    for first, second in zip(one, two, strict=True):
        assert_same_numbers(first, second)


@pytest.mark.slow
def test_two_processes_imitate_what_one_imitates(
    tmp_path, model, tokenizer, train_twice
):
    one = write_sft_directory(tmp_path, model, tokenizer, episodes=8, batch_size=4)
    two = train_twice(sft, one)
    assert_same_metrics(one, two)
    assert_same_weights(one / "policy", two / "policy")


@pytest.mark.slow
def test_two_processes_that_were_stopped_imitate_what_one_imitates(
    tmp_path, model, tokenizer, on_cpu
):
    one = write_sft_directory(tmp_path, model, tokenizer, episodes=8, batch_size=4)
    stopped = shutil.copytree(one, tmp_path / "stopped")
    # In the middle of the second of four passes, each of which has its own order.
    start(*TWO, "tests.training.rl.scale.stopped_training", str(stopped), "6")
    assert list(stopped.glob("*/checkpoint-6"))
    sft.train(one)
    start(*TWO, sft.__name__, str(stopped))
    assert_same_metrics(one, stopped)
    assert_same_weights(one / "policy", stopped / "policy")


@pytest.mark.slow
# The adapters' library asks a model in words that are going out of use.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_two_processes_judge_what_one_judges(tmp_path, model, tokenizer, train_twice):
    one = write_orm_directory(tmp_path, model, tokenizer, lora_rank=4)
    two = train_twice(orm, one)
    assert_same_metrics(one, two)
    assert_same_weights(one / "orm", two / "orm")
    first, second = (
        json.loads((directory / "result.json").read_text())["scores"]
        for directory in (one, two)
    )
    for mine, other in zip(first, second, strict=True):
        assert_same_numbers(mine, other)


@pytest.mark.slow
def test_each_process_computes_its_share_and_has_all_of_it(tmp_path):
    start(*TWO, "tests.training.rl.scale.shared_rows", str(tmp_path))
    found = [json.loads((tmp_path / rank).read_text()) for rank in ("0", "1")]
    # The longest rows are not one process's alone.
    assert [one["own"] for one in found] == [[1, 4, 0], [3, 2]]
    # Row n holds n numbers, each of them n; None stands for one that is no number.
    expected = [[None], [1.0], [2.0, 2.0], [3.0, 3.0, 3.0], []]
    assert [one["all"] for one in found] == [expected, expected]


def test_the_others_wait_while_the_first_process_saves(monkeypatch):
    given: dict[str, Any] = {}
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(
        dist, "init_process_group", lambda backend, **options: given.update(options)
    )
    parallel.start()
    # Weights of 32 GB on a network's disk take longer than torch's own 10 minutes.
    assert given["timeout"] > datetime.timedelta(hours=1)


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
