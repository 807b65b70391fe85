from __future__ import annotations

import pytest
from django.test import Client

from rollouts.models import HumanVerdict
from tests.factories import (
    CheckpointFactory,
    OrmExampleFactory,
    OrmTrainingFactory,
    PhaseFactory,
    UserFactory,
)
from training.models import OrmTraining

ACCURACY = {"": {"n": 4, "before": 0.5, "after": 0.75}}


@pytest.fixture
def training() -> OrmTraining:
    return OrmTrainingFactory(accuracy=ACCURACY)


def test_a_reward_model_comes_with_what_it_learnt(
    researcher: Client, training: OrmTraining
):
    OrmExampleFactory(training=training)

    told = researcher.get(f"/api/checkpoints/{training.checkpoint_id}/").json()

    [overall] = told["learning"]["accuracy"]
    assert overall["after"]["successes"] == 3
    assert overall["after"]["low"] == pytest.approx(0.3006, abs=1e-3)
    assert told["learning"]["rows"][0]["episodes"] == 1
    assert told["learning"]["base_uri"] == "starter/orm"


def test_other_weights_learnt_nothing_from_people(researcher: Client):
    row = CheckpointFactory()

    assert researcher.get(f"/api/checkpoints/{row.pk}/").json()["learning"] is None


def test_the_episodes_come_with_their_verdicts(
    researcher: Client, training: OrmTraining
):
    example = OrmExampleFactory(training=training)
    said = HumanVerdict.objects.create(
        trajectory=example.trajectory, author=UserFactory(), verdict="success"
    )
    example.verdicts.add(said)
    OrmExampleFactory(training=training, source="own")

    url = f"/api/checkpoints/{training.checkpoint_id}/episodes/?which=people"
    [row] = researcher.get(url).json()["results"]

    assert (row["trajectory"], row["verdicts"]) == (example.trajectory_id, [said.pk])


def test_a_kind_that_is_not_there_is_refused(researcher: Client, training: OrmTraining):
    url = f"/api/checkpoints/{training.checkpoint_id}/episodes/?which=evaluator"

    assert researcher.get(url).status_code == 400


def test_a_phase_names_the_reward_model_of_the_next(
    researcher: Client, training: OrmTraining
):
    assert training.checkpoint is not None
    phase = PhaseFactory(next_orm_uri=training.checkpoint.uri)

    told = researcher.get(f"/api/phases/{phase.pk}/").json()

    assert told["reward_model"]["uri"] == phase.orm_uri
    assert told["next_reward_model"]["checkpoint"] == training.checkpoint_id
    assert told["next_reward_model"]["accuracy"]["before"]["rate"] == 0.5


def test_annotators_do_not_read_them(annotator: Client, training: OrmTraining):
    url = f"/api/checkpoints/{training.checkpoint_id}/episodes/"

    assert annotator.get(url).status_code == 403
