from __future__ import annotations

import dataclasses
import json

import pytest
from safetensors.torch import load_file

from tests.training.rl.conftest import CLICK, make_trajectory, write_lines
from tests.training.rl.phase.helpers import change_config, reports_of, run, scores
from training.rl import checkpoints, launch, metric_names, process
from training.rl.encoding import Encoder
from training.rl.objectives.table import OBJECTIVES
from training.rl.phase.scoring import encode_trajectory, score_actions
from training.rl.phase.steps import INDIFFERENT, MISMATCHED
from training.rl.training_data import TrainingDataError, read_spec, read_trajectories


def test_every_step_gets_a_score(training_directory):
    run(training_directory)
    rows = scores(training_directory)
    assert len(rows) == 14
    assert all(0 <= row["value"] <= 1 for row in rows)
    assert all(row["perplexity"] >= 1 for row in rows)
    assert all(row["was_used"] or row["left_out_reason"] for row in rows)


def test_a_success_is_raised_more_than_a_failure(training_directory):
    run(training_directory)
    fresh = [row for row in scores(training_directory) if row["source"] == "fresh"]
    good = [row["log_ratio"] for row in fresh if row["advantage"] > 0]
    bad = [row["log_ratio"] for row in fresh if row["advantage"] < 0]
    assert good
    assert bad
    assert sum(good) / len(good) > sum(bad) / len(bad)


def test_advantages_are_reported_by_outcome(training_directory):
    reported = {}
    run(
        training_directory,
        report=lambda name, step, value: reported.setdefault(name, value),
    )
    successes = reported["train/advantage_of_successes"]
    failures = reported["train/advantage_of_failures"]
    assert successes > reported["train/advantage"] > failures


def test_a_phase_reports_the_metrics_of_a_phase_and_no_others(training_directory):
    reported = {}
    run(
        training_directory,
        report=lambda name, step, value: reported.setdefault(name, []).append(step),
    )
    # Nothing was recorded of these steps.
    assert set(reported) == set(metric_names.PHASE) - {metric_names.RECORD_MISMATCH}
    assert all(len(steps) == len(set(steps)) for steps in reported.values())


def test_the_norm_of_the_gradient_is_reported_at_each_step_of_the_policy(
    training_directory,
):
    reported = {}
    run(
        training_directory,
        report=lambda name, step, value: reported.setdefault(name, {}).update(
            {step: value}
        ),
    )
    norms = reported[metric_names.GRADIENT_NORM]
    assert norms.keys() == reported[metric_names.POLICY_LOSS].keys()
    assert all(norm > 0 for norm in norms.values())


def test_a_finished_directory_is_not_trained_again(training_directory):
    first = run(training_directory)
    before = (training_directory / "policy" / "model.safetensors").stat().st_mtime_ns
    assert run(training_directory) == first
    after = (training_directory / "policy" / "model.safetensors").stat().st_mtime_ns
    assert before == after


def test_training_killed_between_the_parts_ends_in_the_same_weights(
    training_directory, tmp_path
):
    straight = tmp_path / "straight"
    straight.mkdir()
    for path in training_directory.iterdir():
        (straight / path.name).write_bytes(path.read_bytes())
    run(straight)

    class Killed(Exception):
        pass

    def kill(part, done, total):
        if part == "reference":
            raise Killed

    with pytest.raises(Killed):
        run(training_directory, on_progress=kill)
    run(training_directory)
    expected = load_file(straight / "policy" / "model.safetensors")
    found = load_file(training_directory / "policy" / "model.safetensors")
    assert all(found[name].equal(tensor) for name, tensor in expected.items())


def test_accumulated_micro_batches_equal_one_batch(training_directory, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for path in training_directory.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    spec = json.loads((other / "spec.json").read_text())
    spec["config"]["micro_batch_size"] = 4
    (other / "spec.json").write_text(json.dumps(spec))
    run(training_directory)
    run(other)
    first = load_file(training_directory / "critic" / "model.safetensors")
    second = load_file(other / "critic" / "model.safetensors")
    for name, tensor in first.items():
        assert tensor.sub(second[name]).abs().max() < 1e-4, name


def test_without_a_scored_trajectory_there_is_a_clear_error(training_directory):
    (training_directory / "fresh.jsonl").write_text("")
    with pytest.raises(TrainingDataError, match="nothing to train on"):
        run(training_directory)


def lengthen(trajectory, index, words=300):
    """Let a step's history leave no room for its page."""
    steps = list(trajectory.transitions)
    history = (CLICK * words,) * len(steps[index].history)
    steps[index] = dataclasses.replace(steps[index], history=history)
    return dataclasses.replace(trajectory, transitions=tuple(steps))


@pytest.mark.parametrize("objective", ["webrl_paper", "webrl_reference"])
def test_an_episode_is_trained_on_up_to_a_prompt_without_room(
    training_directory, objective
):
    change_config(training_directory, objective=objective)
    long = lengthen(make_trajectory(1, 1.0, steps=3), index=1)
    write_lines(training_directory / "fresh.jsonl", [long, make_trajectory(2, 0.0)])
    run(training_directory)
    fresh = [row for row in scores(training_directory) if row["source"] == "fresh"]
    assert [row["step_id"] for row in fresh] == [100, 200, 201]


def test_where_no_prompt_has_room_the_error_names_the_limit(training_directory):
    long = dataclasses.replace(make_trajectory(1, 1.0), instruction=CLICK * 300)
    write_lines(training_directory / "fresh.jsonl", [long])
    with pytest.raises(TrainingDataError, match="larger max_prompt_tokens"):
        run(training_directory)


def test_a_malformed_trajectory_names_its_line(training_directory):
    path = training_directory / "fresh.jsonl"
    path.write_text(path.read_text() + "\n{}")
    with pytest.raises(TrainingDataError, match="line 7"):
        read_trajectories(path)


def test_an_unknown_setting_in_the_spec_is_refused(training_directory):
    spec = json.loads((training_directory / "spec.json").read_text())
    spec["config"]["bta"] = 1
    (training_directory / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(TrainingDataError, match="bta"):
        read_spec(training_directory)


def test_the_subprocess_trains_and_reports(training_directory):
    seen = []
    launch.train_phase(
        training_directory,
        threads=1,
        on_progress=seen.append,
        should_stop=lambda: False,
    )
    assert json.loads((training_directory / "result.json").read_text())["seconds"] > 0
    assert "train/policy_loss" in (training_directory / "metrics.jsonl").read_text()
    assert seen


def test_a_broken_checkpoint_fails_with_its_reason(training_directory, tmp_path):
    (tmp_path / "p0" / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(launch.TrainingFailed, match="has changed since it was saved"):
        launch.train_phase(
            training_directory,
            threads=1,
            on_progress=lambda progress: None,
            should_stop=lambda: False,
        )


def test_stopping_is_not_failing_and_training_resumes(training_directory):
    with pytest.raises(launch.TrainingStopped):
        launch.train_phase(
            training_directory,
            threads=1,
            on_progress=lambda progress: None,
            should_stop=lambda: True,
        )
    launch.train_phase(
        training_directory,
        threads=1,
        on_progress=lambda progress: None,
        should_stop=lambda: False,
    )
    assert (training_directory / "result.json").exists()


def test_a_stop_between_the_parts_is_noticed(tmp_path):
    reporter = process.Reporter(tmp_path)
    reporter.stop_asked = True
    with pytest.raises(process.Stopped):
        reporter.progress("values", 0, 1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_trains_a_phase(training_directory, objective):
    change_config(training_directory, objective=objective, kept_quantile=0.0)
    first, second = (make_trajectory(n, float(n), steps=2) for n in range(2))
    second = dataclasses.replace(second, task_id=first.task_id)
    write_lines(training_directory / "fresh.jsonl", [first, second])
    run(training_directory)
    used = [row for row in scores(training_directory) if row["was_used"]]
    assert used
    assert any(row["log_ratio"] != 0 for row in used)


def test_only_objectives_with_a_buffer_replay(training_directory):
    change_config(training_directory, objective="filtered_bc")
    run(training_directory)
    assert {row["source"] for row in scores(training_directory)} == {"fresh"}


def test_a_phase_without_a_step_to_learn_from_keeps_its_policy(
    training_directory, tmp_path
):
    change_config(training_directory, objective="filtered_bc")
    write_lines(training_directory / "fresh.jsonl", [make_trajectory(1, 0.0)])
    run(training_directory)
    expected = load_file(tmp_path / "p0" / "model.safetensors")
    found = load_file(training_directory / "policy" / "model.safetensors")
    assert all(found[name].equal(tensor) for name, tensor in expected.items())


def record(directory, shift):
    """Give the first episode's steps the tokens and numbers of the acting policy."""
    spec = read_spec(directory)
    tokenizer = checkpoints.load_tokenizer(spec.policy)
    encoder = Encoder(tokenizer, max_prompt_tokens=200, max_action_tokens=16)
    model = checkpoints.load_policy_model(spec.policy)
    first, *rest = read_trajectories(directory / "fresh.jsonl")
    examples = encode_trajectory(encoder, first)
    found = score_actions(model, examples, pad_id=0, budget=4096)
    steps = tuple(
        dataclasses.replace(
            step,
            output=encoder.decode_action(example.ids[example.prompt_length :]),
            token_ids=example.ids[example.prompt_length :],
            token_log_probabilities=(numbers[0] - shift, *numbers[1:]),
        )
        for step, example, numbers in zip(
            first.transitions, examples, found, strict=True
        )
    )
    first = dataclasses.replace(first, transitions=steps)
    write_lines(directory / "fresh.jsonl", [first, *rest])


@pytest.mark.parametrize(("shift", "left_out"), [(0.5, 0), (3.0, 2)])
def test_steps_recorded_otherwise_are_left_out_and_counted(
    training_directory, shift, left_out
):
    record(training_directory, shift)
    reported = {}
    run(
        training_directory,
        report=lambda name, step, value: reported.setdefault(name, value),
    )
    reasons = [row["left_out_reason"] for row in scores(training_directory)]
    assert reasons.count(MISMATCHED) == left_out
    assert reported[metric_names.MISMATCHED_STEPS] == left_out
    assert reported[metric_names.RECORD_MISMATCH] == pytest.approx(shift, abs=1e-3)
    assert reported[metric_names.UNRECORDED_STEPS] == 10


def test_a_recorded_step_that_is_left_out_is_not_unrecorded(training_directory):
    change_config(training_directory, objective="filtered_bc")
    record(training_directory, 0.0)
    first, *rest = read_trajectories(training_directory / "fresh.jsonl")
    failure = dataclasses.replace(first, reward=0.0)
    write_lines(training_directory / "fresh.jsonl", [failure, *rest])
    reported = {}
    run(
        training_directory, report=lambda name, _, value: reported.update({name: value})
    )
    assert reported[metric_names.UNRECORDED_STEPS] == 10


def test_steps_whose_advantage_is_too_small_are_left_out(training_directory, tmp_path):
    change_config(training_directory, use_replay=False)
    other = copy_of(training_directory, tmp_path / "other")
    run(training_directory)
    advantages = sorted(abs(row["advantage"]) for row in scores(training_directory))
    least = advantages[len(advantages) // 2]
    change_config(other, min_advantage=least)
    run(other)
    reasons = [row["left_out_reason"] for row in scores(other)]
    assert reasons.count(INDIFFERENT) == sum(a < least for a in advantages)


def test_the_update_lowers_its_own_objective(training_directory):
    change_config(training_directory, policy_epochs=4)
    found = reports_of(training_directory)
    before = found[metric_names.OBJECTIVE_BEFORE][0]
    assert found[metric_names.OBJECTIVE_AFTER][0] < before
    used = [row for row in scores(training_directory) if row["was_used"]]
    # Before the update the log-ratio is 0: the loss is the squared advantage.
    expected = sum(row["advantage"] ** 2 for row in used) / len(used)
    assert before == pytest.approx(expected)


def test_a_policy_far_from_its_reference_stops_early(training_directory):
    change_config(training_directory, policy_epochs=8, policy_learning_rate=0.02)
    change_config(training_directory, max_kl=0.05)
    found = reports_of(training_directory)
    kl = found[metric_names.KL]
    steps = found[metric_names.POLICY_STEPS][0]
    assert steps < 8 * 4
    assert kl[int(steps)] > 0.05
    assert all(value <= 0.05 for step, value in kl.items() if step < steps)


def test_a_decaying_learning_rate_ends_nearer_to_the_reference(
    training_directory, tmp_path
):
    other = copy_of(training_directory, tmp_path / "other")
    change_config(other, learning_rate_schedule="linear")
    run(training_directory)
    run(other)
    constant, decayed = (
        sum(abs(row["log_ratio"]) for row in scores(directory) if row["was_used"])
        for directory in (training_directory, other)
    )
    assert decayed < constant


def test_targets_beyond_probability_one_are_counted(training_directory):
    change_config(training_directory, beta=0.001)
    found = reports_of(training_directory)
    used = [row for row in scores(training_directory) if row["was_used"]]
    raised = sum(row["advantage"] > 0 for row in used) / len(used)
    # With so small a beta every action to be raised is to be raised beyond 1.
    assert found[metric_names.UNREACHABLE_TARGETS][0] == pytest.approx(raised)


def copy_of(directory, target):
    target.mkdir()
    for path in directory.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def test_the_rows_of_a_last_smaller_batch_count_as_much_each(
    training_directory, tmp_path
):
    """Two rows in a batch of four move the critic as two rows in a batch of two."""
    write_lines(training_directory / "fresh.jsonl", [make_trajectory(1, 1.0)])
    other = copy_of(training_directory, tmp_path / "other")
    change_config(other, batch_size=2)
    run(training_directory)
    run(other)
    first, second = (
        load_file(directory / "critic" / "model.safetensors")
        for directory in (training_directory, other)
    )
    assert all(tensor.equal(second[name]) for name, tensor in first.items())


def test_a_line_that_a_killed_training_left_open_is_closed(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"name": "train/k')
    process.Reporter(tmp_path).metric("train/kl", 1, 0.5)
    assert json.loads(path.read_text().splitlines()[1])["value"] == 0.5


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("shapes differ"), False),
    ],
)
def test_out_of_memory_is_told_from_other_errors(error, is_memory):
    assert process.is_out_of_memory(error) == is_memory
