from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from curriculum.errors import WorkbenchError
from curriculum.models import Run, Task
from rollouts.models import Takeover
from tests import fakes
from tests.factories import RunFactory, UserFactory
from tests.training.test_selectors_demonstrations import play
from training import services
from training.models import SftTraining
from training.rl.sft.config import SftConfig

pytestmark = pytest.mark.django_db


@pytest.fixture
def takeover(tmp_path: Path, settings: Any) -> Takeover:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    return play("", "Covered by another element.")


def run_of(takeover: Takeover) -> Run:
    run: Run = takeover.trajectory.phase.run
    return run


def train(run: Run, name: str = "hand", **options: Any) -> SftTraining:
    given: dict[str, Any] = {"base_uri": "starter/policy", "algorithm": {}} | options
    return services.train_on_demonstrations(
        name=name, run_id=run.pk, sft=SftConfig(), **given
    )


def test_the_policy_is_kept_with_its_demonstrations(takeover: Takeover):
    made = train(run_of(takeover))

    assert made.checkpoint is not None and made.checkpoint.parent is not None
    assert (made.checkpoint.uri, made.checkpoint.kind) == ("sft-hand/policy", "policy")
    assert made.checkpoint.parent.uri == "starter/policy"
    assert list(made.trajectories.all()) == [takeover.trajectory]
    assert made.step_count == 1


def test_the_trainer_gets_the_persons_steps_alone(takeover: Takeover, tmp_path: Path):
    train(run_of(takeover))

    line = (tmp_path / "sft-hand" / "demonstrations.jsonl").read_text()
    assert [step["output"] for step in json.loads(line)["transitions"]] == ["step 2"]


def test_training_again_changes_nothing(takeover: Takeover):
    assert train(run_of(takeover)) == train(run_of(takeover))


def test_a_name_stands_for_one_training(takeover: Takeover):
    train(run_of(takeover))

    with pytest.raises(WorkbenchError, match="choose another name"):
        train(run_of(takeover), algorithm={"beta": 1})


def test_a_failed_training_says_why_and_goes_on(takeover: Takeover, settings: Any):
    settings.SFT_TRAINER = "tests.training.test_orm_training.fail"
    with pytest.raises(RuntimeError):
        train(run_of(takeover))
    assert SftTraining.objects.get().failure_reason == "out of memory"
    settings.SFT_TRAINER = "tests.fakes.train_sft"

    assert train(run_of(takeover)).status == "finished"


def test_without_a_demonstration_it_says_what_to_do(takeover: Takeover):
    with pytest.raises(services.NoDemonstrations, match="keep one in the replay"):
        train(RunFactory())


def test_the_command_asks_for_copies_with_other_names(takeover: Takeover, capsys: Any):
    call_command("train_sft", "hand", run=run_of(takeover).pk, copies=7)
    said = capsys.readouterr().out
    assert "1 step of 1 demonstration with 7 copies of each step;" in said
    config = SftTraining.objects.get().config
    assert config["algorithm"]["augmented_copies"] == 7


def test_the_command_says_where_the_policy_lies(takeover: Takeover, capsys: Any):
    call_command("train_sft", "hand", run=run_of(takeover).pk, epochs=3)

    said = capsys.readouterr().out
    assert (
        "Learnt 1 step of 1 demonstration; mean loss by pass: 2.000 -> 1.000." in said
    )
    assert "sft-hand/policy is ready." in said
    assert SftTraining.objects.get().config["sft"]["epochs"] == 3


def test_the_command_says_how_many_held_out_ones_it_leaves_out(
    takeover: Takeover, capsys: Any
):
    Task.objects.update(split=Task.Split.TEST)

    with pytest.raises(CommandError, match="has no demonstration"):
        call_command("train_sft", "hand", run=run_of(takeover).pk)

    assert "Left out: 1 kept of validation or test tasks" in capsys.readouterr().err


def leave_steps_out(directory: Path, **given: Any) -> None:
    """Train as the fake does, and leave two steps out as too long."""
    fakes.train_sft(directory, **given)
    path = directory / "result.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"left_out_steps": 2}))


def test_the_command_says_how_many_steps_were_too_long(
    takeover: Takeover, settings: Any, capsys: Any
):
    settings.SFT_TRAINER = f"{__name__}.leave_steps_out"

    call_command("train_sft", "hand", run=run_of(takeover).pk)

    said = capsys.readouterr().err
    assert "Left out: 2 steps with an answer longer than max_action_tokens." in said


@pytest.mark.parametrize(
    "number", [{"epochs": 0}, {"learning_rate": 2.0}, {"copies": 101}]
)
def test_numbers_out_of_range_are_refused(takeover: Takeover, number: dict[str, Any]):
    with pytest.raises(CommandError):
        call_command("train_sft", "hand", run=run_of(takeover).pk, **number)


def test_the_checkpoints_page_lists_the_demonstrations(
    takeover: Takeover, client: Client
):
    made = train(run_of(takeover))
    client.force_login(UserFactory(roles=["researcher"]))

    page = client.get(f"/checkpoints/{made.checkpoint_id}/").content.decode()

    assert "Learnt from demonstrations" in page
    assert "1 step, loss" in page
    assert f"/trajectories/{takeover.trajectory_id}/" in page


def test_the_api_tells_the_demonstrations_and_the_settings(
    takeover: Takeover, client: Client
):
    made = train(run_of(takeover))
    client.force_login(UserFactory(roles=["researcher"]))

    told = client.get(f"/api/checkpoints/{made.checkpoint_id}/").json()["sft"]

    assert told["trajectories"] == [takeover.trajectory_id]
    assert (told["name"], told["base_uri"]) == ("hand", "starter/policy")
    assert told["losses"] == [2.0, 1.0]
    assert told["config"]["run"] == run_of(takeover).pk


def test_the_api_tells_no_sft_of_other_weights(takeover: Takeover, client: Client):
    made = train(run_of(takeover))
    assert made.checkpoint is not None
    client.force_login(UserFactory(roles=["researcher"]))

    told = client.get(f"/api/checkpoints/{made.checkpoint.parent_id}/").json()

    assert told["sft"] is None
