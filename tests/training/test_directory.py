"""The directory from which a training process reads, and its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from curriculum.models import Phase, Task
from rollouts.models import Step, Trajectory
from tests.training.helpers import make_episode, read_lines
from training import services
from training.rl.launch import LOCK, TrainingStopped, alone_in
from training.selectors.loop import list_fresh_ids, list_replay_ids, read_episodes
from training.services.directory import (
    name_directory,
    name_run,
    write_directory,
)

pytestmark = pytest.mark.django_db


def test_the_directory_holds_fresh_episodes_and_earlier_successes(
    phase: Phase,
) -> None:
    directory = write_directory(phase)

    fresh = read_lines(directory / "fresh.jsonl")
    replay = read_lines(directory / "replay.jsonl")
    spec = json.loads((directory / "spec.json").read_text())
    assert [row["reward"] for row in fresh] == [0, 1, 1]
    assert [row["reward"] for row in replay] == [1]
    policy = Path(settings.DATA_DIR) / "models/starter/policy"
    assert (directory / spec["policy"]).resolve() == policy.resolve()
    assert not Path(spec["policy"]).is_absolute()
    assert spec["config"] == phase.run.config["algorithm"]


def test_the_directory_keeps_no_half_written_episodes(phase: Phase) -> None:
    directory = write_directory(phase)
    (directory / "spec.json").unlink()
    (directory / ".replay.jsonl.123").write_text("{")

    write_directory(phase)

    assert not list(directory.glob(".*"))


def test_other_settings_wait_for_a_trainer_that_is_still_saving(phase: Phase) -> None:
    directory = write_directory(phase)
    phase.run.config["algorithm"]["beta"] = 0.7

    with alone_in(directory, lambda: False):
        with pytest.raises(TrainingStopped):
            write_directory(phase, lambda: True)
        assert (directory / "spec.json").exists()


def test_the_lock_of_a_directory_outlives_its_emptying(phase: Phase) -> None:
    directory = write_directory(phase)
    (directory / "policy-steps/checkpoint-5").mkdir(parents=True)
    before = (directory / LOCK).stat().st_ino
    phase.run.config["algorithm"]["beta"] = 0.7

    write_directory(phase)

    assert (directory / LOCK).stat().st_ino == before
    assert not (directory / "policy-steps").exists()


def test_expert_iteration_is_told_the_run_s_first_policy(phase: Phase) -> None:
    phase.policy_uri = "starter/orm"
    phase.run.config["algorithm"]["objective"] = "expert_iteration"

    directory = write_directory(phase)

    spec = json.loads((directory / "spec.json").read_text())
    first = Path(settings.DATA_DIR) / "models/starter/policy"
    assert (directory / spec["first"]).resolve() == first.resolve()
    assert (directory / spec["policy"]).resolve() != first.resolve()


def test_other_objectives_need_no_first_policy(phase: Phase) -> None:
    phase.policy_uri, phase.run.policy_uri = phase.run.policy_uri, "deleted/policy"

    directory = write_directory(phase)

    assert json.loads((directory / "spec.json").read_text())["first"] == ""


def test_an_episode_is_read_with_the_steps_of_its_last_attempt(phase: Phase) -> None:
    (episode,) = read_episodes(list_replay_ids(phase))

    outputs = [transition.output for transition in episode.transitions]
    assert outputs == ["step 0", "step 1"]
    assert episode.transitions[1].history == ("step 0",)


def test_tasks_that_were_filtered_since_are_not_trained_on(phase: Phase) -> None:
    assert list_fresh_ids(phase.pk) and list_replay_ids(phase)

    Task.objects.update(status=Task.Status.FILTERED)

    assert (list_fresh_ids(phase.pk), list_replay_ids(phase)) == ([], [])


def test_training_reads_the_tokens_that_were_sampled(phase: Phase) -> None:
    Step.objects.update(token_ids=[7, 2], token_log_probabilities=[-0.5, -0.1])

    (episode,) = read_episodes(list_replay_ids(phase))

    assert episode.transitions[0].token_ids == (7, 2)
    assert episode.transitions[0].token_log_probabilities == (-0.5, -0.1)
    assert episode.transitions[1].errors == ("",)


def test_episodes_are_read_with_two_questions(
    phase: Phase, django_assert_num_queries: Any
) -> None:
    ids = list(Trajectory.objects.values_list("pk", flat=True))

    with django_assert_num_queries(2):
        assert len(list(read_episodes(ids))) == 5


def test_the_ablation_without_replay_writes_none(phase: Phase) -> None:
    phase.run.config["algorithm"]["use_replay"] = False

    assert read_lines(write_directory(phase) / "replay.jsonl") == []


def test_a_whole_directory_is_left_as_it_is(phase: Phase) -> None:
    directory = write_directory(phase)
    (directory / "checkpoint-5").mkdir()
    make_episode(phase, 1)

    assert len(read_lines(write_directory(phase) / "fresh.jsonl")) == 3
    assert (directory / "checkpoint-5").exists()


def test_the_directory_of_another_phase_of_that_number_is_cleared(
    phase: Phase,
) -> None:
    stale = name_directory(phase)
    stale.mkdir(parents=True)
    (stale / "result.json").write_text("{}")
    (stale / "spec.json").write_text("{}")

    write_directory(phase)

    assert not (stale / "result.json").exists()
    assert json.loads((stale / "spec.json").read_text())["config"]


def test_weights_are_named_by_run_and_phase(phase: Phase) -> None:
    phase.run.name = "Shop, beta 0.2"
    phase.number = 3

    folder = name_directory(phase)

    assert folder.name == "phase-3"
    assert folder.parent.name == f"shop-beta-02-{phase.run_id}"


def test_a_run_without_a_latin_letter_has_a_folder_too(phase: Phase) -> None:
    phase.run.name = "实验"

    assert name_run(phase.run) == f"run-{phase.run_id}"


def test_a_phase_begun_by_an_earlier_version_keeps_its_folder(
    phase: Phase, tmp_path: Path
) -> None:
    earlier = tmp_path / f"phase-{phase.pk}"
    earlier.mkdir()
    (write_directory(phase) / "phase.json").rename(earlier / "phase.json")

    assert name_directory(phase) == earlier
    assert services.train_phase(phase_id=phase.pk, owner="me")
    phase.refresh_from_db()
    assert phase.next_policy_uri == f"phase-{phase.pk}/policy"
