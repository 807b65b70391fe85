"""A phase trains on what people demonstrated."""

from __future__ import annotations

import dataclasses

import pytest

from tests.training.rl.phase.helpers import change_config, run, scores
from tests.training.rl.tiny import make_trajectory, write_lines
from training.rl import metric_names
from training.rl.phase.steps import TOO_LONG
from training.rl.training_data import read_trajectories

SHOWN = 40  # the demonstration's number; its steps are 4000 and 4001


@pytest.fixture
def directory(training_directory):
    """One demonstration beside the phase's episodes and the replayed one."""
    shown = [make_trajectory(SHOWN, 1.0)]
    write_lines(training_directory / "demonstrations.jsonl", shown)
    change_config(training_directory, use_demonstrations=True)
    return training_directory


def list_shown(directory):
    return [row for row in scores(directory) if row["source"] == "shown"]


def test_its_steps_are_trained_on_and_counted(directory):
    reported = {}
    run(directory, report=lambda name, step, value: reported.update({name: value}))
    used = [row["step_id"] for row in list_shown(directory) if row["was_used"]]
    assert used == [4000, 4001]
    assert reported[metric_names.DEMONSTRATED_STEPS] == 2


def test_its_advantage_is_that_of_a_success(directory):
    run(directory)
    assert all(row["advantage"] > 0 for row in list_shown(directory))


def test_the_perplexity_band_leaves_it_in(directory):
    change_config(directory, perplexity_low=1.0, perplexity_high=1.0)
    run(directory)
    found = {row["source"]: row["was_used"] for row in scores(directory)}
    assert (found["shown"], found["replay"]) == (True, False)


def test_it_joins_where_nothing_is_replayed(directory):
    change_config(directory, use_replay=False)
    run(directory)
    assert {row["source"] for row in scores(directory)} == {"fresh", "shown"}


def test_a_step_with_too_long_an_answer_is_left_out_with_the_reason(directory):
    shown = make_trajectory(SHOWN, 1.0)
    first, second = shown.transitions
    first = dataclasses.replace(first, output=first.output * 2)
    shown = dataclasses.replace(shown, transitions=(first, second))
    write_lines(directory / "demonstrations.jsonl", [shown])
    run(directory)
    first, second = list_shown(directory)
    assert (first["was_used"], second["was_used"]) == (False, True)
    assert first["left_out_reason"] == TOO_LONG


@pytest.mark.parametrize("source", ["fresh", "replay"])
def test_a_recorded_step_with_too_long_an_answer_is_left_out_and_counted(
    training_directory, source
):
    path = training_directory / f"{source}.jsonl"
    first, *rest = read_trajectories(path)
    step, *later = first.transitions
    step = dataclasses.replace(step, output=step.output * 2)
    write_lines(path, [dataclasses.replace(first, transitions=(step, *later)), *rest])
    reported = {}
    run(
        training_directory,
        report=lambda name, step, value: reported.setdefault(name, value),
    )
    (told,) = (row for row in scores(training_directory) if row["log_ratio"] is None)
    assert (told["step_id"], told["source"]) == (step.step_id, source)
    assert told["left_out_reason"] == TOO_LONG
    assert reported[metric_names.TOO_LONG_STEPS] == 1


@pytest.mark.parametrize(
    "settings", [{"use_demonstrations": False}, {"objective": "filtered_bc"}]
)
def test_it_is_left_out_unless_asked_for(directory, settings):
    change_config(directory, **settings)
    run(directory)
    assert not list_shown(directory)


def test_the_critic_is_the_same_without_it(directory, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for path in directory.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    change_config(other, use_demonstrations=False)
    run(directory)
    run(other)
    weights = "critic/model.safetensors"
    assert (directory / weights).read_bytes() == (other / weights).read_bytes()
