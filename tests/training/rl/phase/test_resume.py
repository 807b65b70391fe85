"""Killed at any moment, a training ends in the weights that it would have had."""

from __future__ import annotations

import json
import shutil

import pytest
from safetensors.torch import load_file
from transformers import TrainerCallback

from tests.training.rl import tiny
from tests.training.rl.conftest import write_lines
from tests.training.rl.phase.helpers import change_config
from training.rl.phase.trainer import PhaseTrainer
from training.rl.training_data import read_spec, read_trajectories

# (part, optimiser step or piece of work after which it is killed)
POINTS = [
    *[("critic", step) for step in range(6)],
    *[("policy", step) for step in range(8)],
    *[("values", 0), ("reference", 7), ("reference", 14), ("ratios", 7)],
    *[("ratios", 14), ("begin", 0)],
]


class Killed(BaseException):
    """Nothing below catches it, as nothing catches SIGKILL."""


class SaveAndDie(TrainerCallback):
    def __init__(self, last: int) -> None:
        self.last = last

    def on_step_end(self, args, state, control, **_):
        control.should_save = True

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.last:
            raise Killed


class DieAtTheEnd(SaveAndDie):
    """Dies once the last step is done, before the weights are saved."""

    def on_train_end(self, args, state, control, **_):
        raise Killed


def run(directory, part: str = "", last: int = -1):
    def watch(name, done, total):
        if (name, done) == (part, last):
            raise Killed

    trainer = PhaseTrainer(
        directory,
        read_spec(directory),
        report=lambda name, step, value: None,
        on_progress=watch,
        callbacks=lambda name: [SaveAndDie(last if name == part else -1)],
    )
    if part == "begin":
        raise Killed
    trainer.run()


def weights(directory):
    return {
        f"{part}/{name}": tensor
        for part in ("critic", "policy")
        for name, tensor in load_file(directory / part / "model.safetensors").items()
    }


def equal(first, second) -> bool:
    return first.keys() == second.keys() and all(
        tensor.equal(second[name]) for name, tensor in first.items()
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory, tokenizer):
    """A folder with a directory to train, which nobody trains."""
    folder = tmp_path_factory.mktemp("original")
    model = tiny.build_model(tokenizer)
    options = {"critic_epochs": 2, "policy_epochs": 2, "micro_batch_tokens": 256}
    tiny.write_training_directory(folder, model, tokenizer, **options)
    return folder


@pytest.fixture(scope="module")
def straight(original):
    """The weights of a training that nobody killed."""
    copy = original / "straight"
    shutil.copytree(original / "train", copy)
    run(copy)
    return weights(copy)


@pytest.fixture
def training_directory(original, tmp_path):
    """A copy of the directory and of the weights beside it."""
    for name in ("train", "p0", "c0"):
        shutil.copytree(original / name, tmp_path / name)
    return tmp_path / "train"


def test_a_training_killed_inside_its_parts_ends_in_the_same_weights(
    training_directory, straight
):
    for part, last in (("critic", 2), ("policy", 3)):
        with pytest.raises(Killed):
            run(training_directory, part, last)
    run(training_directory)
    assert equal(weights(training_directory), straight)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "last"), POINTS)
def test_a_training_killed_at_any_point_ends_in_the_same_weights(
    training_directory, straight, part, last
):
    with pytest.raises(Killed):
        run(training_directory, part, last)
    run(training_directory)
    assert equal(weights(training_directory), straight)


# The adapters' library asks a model in words that are going out of use.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapters_checkpoints_hold_no_frozen_weights_and_it_resumes_from_them(
    training_directory, tmp_path
):
    change_config(training_directory, lora_rank=4, critic_lora_rank=4)
    other = shutil.copytree(training_directory, tmp_path / "other")
    run(other)
    for part in ("critic", "policy"):
        with pytest.raises(Killed):
            run(training_directory, part, 2)
    kept = {
        name
        for path in training_directory.glob("*-steps/checkpoint-2/*.safetensors")
        for name in load_file(path)
    }
    assert kept
    assert all("lora_" in name or name.startswith("heads.") for name in kept)
    run(training_directory)
    assert equal(weights(training_directory), weights(other))


@pytest.mark.parametrize(
    "damaged", [["checkpoint-3"], ["checkpoint-3", "checkpoint-2"]]
)
def test_a_damaged_checkpoint_is_passed_over(
    training_directory, straight, damaged, caplog
):
    with pytest.raises(Killed):
        run(training_directory, "policy", 3)
    for name in damaged:
        path = training_directory / "policy-steps" / name / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-7])
    run(training_directory)
    assert equal(weights(training_directory), straight)
    assert "checkpoint-3 is not resumed from" in caplog.text


def test_a_damaged_part_or_selection_is_made_anew(training_directory, straight):
    with pytest.raises(Killed):
        run(training_directory, "policy", 1)
    (training_directory / "selection.json").write_text('[{"step_id": 1}, {"st')
    (training_directory / "critic" / "config.json").write_text("{}")
    run(training_directory)
    assert equal(weights(training_directory), straight)


def test_a_directory_moved_with_its_weights_still_trains(
    training_directory, straight, tmp_path
):
    spec = json.loads((training_directory / "spec.json").read_text())
    spec |= {"policy": "../p0", "critic": "../c0"}
    (training_directory / "spec.json").write_text(json.dumps(spec))
    elsewhere = tmp_path / "elsewhere"
    for name in ("train", "p0", "c0"):
        shutil.move(tmp_path / name, elsewhere / name)
    run(elsewhere / "train")
    assert equal(weights(elsewhere / "train"), straight)
    manifest = json.loads((elsewhere / "train/policy/manifest.json").read_text())
    assert manifest["trained_from"] == "../p0"


def test_more_trajectories_than_the_selection_knows_make_it_anew(training_directory):
    with pytest.raises(Killed):
        run(training_directory, "policy", 1)
    path = training_directory / "fresh.jsonl"
    write_lines(path, read_trajectories(path)[:-1])
    shutil.rmtree(training_directory / "policy-steps")
    run(training_directory)
    lines = (training_directory / "scores.jsonl").read_text().splitlines()
    assert len(lines) == 12


def test_an_update_killed_after_max_kl_stopped_it_stops_there_again(
    training_directory, tmp_path
):
    change_config(training_directory, policy_learning_rate=0.02, max_kl=0.05)
    straight = tmp_path / "straight"
    shutil.copytree(training_directory, straight)
    run(straight)
    deaths = {"critic": SaveAndDie(-1), "policy": DieAtTheEnd(-1)}
    killed = PhaseTrainer(
        training_directory,
        read_spec(training_directory),
        report=lambda name, step, value: None,
        on_progress=lambda part, done, total: None,
        callbacks=lambda part: [deaths[part]],
    )
    with pytest.raises(Killed):
        killed.run()
    run(training_directory)
    assert equal(weights(training_directory), weights(straight))
