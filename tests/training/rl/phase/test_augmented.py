"""Training on copies of a phase's steps with other names."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.training.rl.phase.helpers import change_config, run, scores
from training.rl import metric_names
from training.rl.encoding import Example
from training.rl.phase.augmented import augment_steps, choose_copies
from training.rl.phase.steps import StepRow
from training.rl.phase.trainer import AUGMENTED, PhaseTrainer
from training.rl.training_data import read_spec
from training.rl.types import Trajectory, Transition
from training.rl.webrl_config import WebRLConfig


def make_trainer(directory, report=lambda name, step, value: None):
    return PhaseTrainer(
        directory,
        read_spec(directory),
        report=report,
        on_progress=lambda part, done, total: None,
        callbacks=lambda part: [],
    )


@pytest.fixture
def copies(training_directory):
    change_config(training_directory, augmented_copies=2, use_replay=False)
    trainer = make_trainer(training_directory)
    trainer.train_critic()
    rows = trainer.select()
    return rows, trainer.augment()


def test_each_used_step_has_so_many_copies(copies):
    rows, copied = copies
    used = [row.step_id for row in rows if row.was_used]
    assert used
    assert [row.step_id for row in copied] == used * 2


def test_copies_have_other_tokens_than_their_steps(copies):
    rows, copied = copies
    recorded = {row.step_id: row.example.ids for row in rows}
    assert any(row.example.ids != recorded[row.step_id] for row in copied)


def test_a_copy_has_the_advantage_of_its_step_and_a_reference_of_its_own(copies):
    rows, copied = copies
    advantages = {row.step_id: row.advantage for row in rows}
    assert all(row.advantage == advantages[row.step_id] for row in copied)
    lengths = [len(row.example.ids) - row.example.prompt_length for row in copied]
    assert [len(row.reference) for row in copied] == lengths
    assert not any(row.recorded for row in copied)


def test_copies_are_made_once(training_directory, copies):
    kept = (training_directory / AUGMENTED).read_text()
    again = make_trainer(training_directory)
    again.select()
    found = [row.reference for row in again.augment()]
    assert found == [tuple(row["reference"]) for row in json.loads(kept)]
    assert [row.example for row in copies[1]] == [r.example for r in again.augment()]


def test_scores_tell_of_recorded_steps_alone(training_directory):
    change_config(training_directory, augmented_copies=3, use_replay=False)
    reported = {}

    def report(name, step, value):
        reported[name] = value

    run(training_directory, report=report)
    told = scores(training_directory)
    assert len({row["step_id"] for row in told}) == len(told)
    used = sum(row["was_used"] for row in told)
    assert reported[metric_names.AUGMENTED_STEPS] == 3 * used


def test_what_is_imitated_needs_no_reference_of_copies(training_directory):
    changes = {"objective": "filtered_bc", "policy_learning_rate": 0.0}
    change_config(training_directory, augmented_copies=2, **changes)
    reported = {}

    run(
        training_directory,
        report=lambda name, step, value: reported.update({name: value}),
    )

    assert not (training_directory / AUGMENTED).exists()
    # Of recorded steps alone: a copy without pi_ref would be nats away from it.
    assert abs(reported[metric_names.KL]) < 1e-6


def test_familiar_copies_of_good_steps_are_left_out_and_not_counted(
    training_directory,
):
    # Every copy is more familiar than this band.
    band = {"perplexity_low": 1000.0, "perplexity_high": 1000.0, "use_replay": False}
    changes = {"augmented_copies": 2, "skip_familiar_copies": True, **band}
    change_config(training_directory, **changes)
    reported = {}

    run(
        training_directory,
        report=lambda name, step, value: reported.update({name: value}),
    )

    used = [row for row in scores(training_directory) if row["was_used"]]
    bad = sum(row["advantage"] <= 0 for row in used)
    assert bad < len(used)
    assert reported[metric_names.AUGMENTED_STEPS] == 2 * bad


def test_copies_within_the_band_stay_and_so_do_familiar_copies_of_bad_steps():
    config = WebRLConfig(skip_familiar_copies=True, perplexity_low=1.05)
    familiar, new = make_copy(0.5, 1.01), make_copy(0.5, 1.05)
    familiar_and_bad = make_copy(-0.5, 1.01)

    chosen = choose_copies([familiar, new, familiar_and_bad], config)

    assert chosen == [new, familiar_and_bad]


def test_imitation_can_skip_familiar_copies(training_directory):
    band = {"perplexity_low": 1000.0, "perplexity_high": 1000.0}
    changes = {"augmented_copies": 2, "skip_familiar_copies": True, **band}
    change_config(training_directory, objective="filtered_bc", **changes)
    reported = {}

    run(
        training_directory,
        report=lambda name, step, value: reported.update({name: value}),
    )

    assert any(row["was_used"] for row in scores(training_directory))
    assert reported[metric_names.AUGMENTED_STEPS] == 0


def make_copy(advantage, perplexity):
    row = StepRow(1, "fresh", Example((), 0), 1.0)
    return dataclasses.replace(row, advantage=advantage, perplexity=perplexity)


class PlainEncoder:
    """Keeps the answer as it is, so that a test can read it."""

    def encode_step(self, instruction, history, errors, observation, output, tokens):
        return Example((output,), 0)

    def takes_whole(self, output, token_ids=()):
        return len(output) <= 40


def test_an_episode_that_acts_otherwise_under_other_names_has_no_copies():
    # Without quotes the id is a number like any other.
    output = 'do(action="Click", element=17)'
    step = Transition(1, (), (), "17", output)
    recorded = Trajectory(1, 1, "Open order 17.", (step,), "17", 1.0)
    rows = [StepRow(1, "fresh", Example((), 0), 1.0)]

    copied = augment_steps(PlainEncoder(), [recorded], [rows], copies=20, seed=0)

    assert 0 < len(copied) < 20
    assert {row.example.ids for row in copied} == {(output,)}


def test_a_step_whose_answer_became_too_long_has_no_copy():
    output = '# Ann\ndo(action="Click", element="1")'
    step = Transition(1, (), (), "Bartholomew", output)
    recorded = Trajectory(1, 1, "Find Ann.", (step,), "", 1.0)
    rows = [StepRow(1, "fresh", Example((), 0), 1.0)]

    copied = augment_steps(PlainEncoder(), [recorded], [rows], copies=20, seed=0)

    assert 0 < len(copied) < 20
    assert not any("Bartholomew" in row.example.ids[0] for row in copied)
