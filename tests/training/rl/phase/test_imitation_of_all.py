"""Imitation of all successes so far: from the first policy again, or the last one."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file

from tests.training.rl.phase.helpers import change_config, run, scores
from training.rl import checkpoints, metric_names


def change_spec(directory, **changes):
    spec = json.loads((directory / "spec.json").read_text())
    (directory / "spec.json").write_text(json.dumps(spec | changes))


def copy_with_noise(source, target):
    model = checkpoints.load_policy_model(source)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
    tokenizer = checkpoints.load_tokenizer(source)
    checkpoints.save_checkpoint(target, model, tokenizer)
    return target


@pytest.mark.parametrize("objective", ["expert_iteration", "filtered_bc_replay"])
def test_every_success_is_replayed_whatever_its_perplexity(
    training_directory, objective
):
    change_config(training_directory, objective=objective, perplexity_low=999.0)
    run(training_directory)
    replayed = [row for row in scores(training_directory) if row["source"] == "replay"]
    assert replayed
    assert all(row["was_used"] for row in replayed)


@pytest.mark.parametrize(
    ("objective", "beginning"),
    [
        ("expert_iteration", "p0"),
        ("filtered_bc", "other"),
        ("filtered_bc_replay", "other"),
    ],
)
def test_expert_iteration_alone_starts_from_the_first_policy(
    training_directory, tmp_path, objective, beginning
):
    other = copy_with_noise(tmp_path / "p0", tmp_path / "other")
    change_spec(training_directory, policy=str(other), first=str(tmp_path / "p0"))
    change_config(training_directory, objective=objective, policy_epochs=0)
    run(training_directory)
    expected = load_file(tmp_path / beginning / "model.safetensors")
    found = load_file(training_directory / "policy" / "model.safetensors")
    assert all(found[name].equal(tensor) for name, tensor in expected.items())


def test_max_kl_does_not_stop_an_update_from_the_first_policy(
    training_directory, tmp_path
):
    other = copy_with_noise(tmp_path / "p0", tmp_path / "other")
    change_spec(training_directory, policy=str(other), first=str(tmp_path / "p0"))
    change_config(training_directory, objective="expert_iteration", max_kl=1e-6)
    found = {}
    run(
        training_directory, report=lambda name, step, value: found.update({name: value})
    )
    assert found[metric_names.KL] > 1e-6  # pi_ref is another policy
    assert found[metric_names.POLICY_STEPS] > 1


def test_the_objective_before_an_update_is_that_of_the_weights_it_started_from(
    training_directory, tmp_path
):
    other = copy_with_noise(tmp_path / "p0", tmp_path / "other")
    change_spec(training_directory, policy=str(other), first=str(tmp_path / "p0"))
    change_config(training_directory, objective="expert_iteration", policy_epochs=0)
    found = {}
    run(
        training_directory, report=lambda name, step, value: found.update({name: value})
    )
    before, after = metric_names.OBJECTIVE_BEFORE, metric_names.OBJECTIVE_AFTER
    assert found[before] == pytest.approx(found[after])


def test_without_a_trained_critic_imitation_values_no_step(training_directory):
    change_config(training_directory, objective="filtered_bc", critic_epochs=0)
    run(training_directory)
    assert {row["value"] for row in scores(training_directory)} == {None}


def test_imitation_values_every_step_where_the_critic_is_trained(training_directory):
    change_config(training_directory, objective="filtered_bc")
    run(training_directory)
    assert None not in {row["value"] for row in scores(training_directory)}
