from __future__ import annotations

import pytest
from django.test import Client

from curriculum.models import Phase
from rollouts.models import HumanVerdict
from tests.factories import (
    CheckpointFactory,
    OrmExampleFactory,
    OrmTrainingFactory,
    PhaseFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.webrl_site.conftest import CountQueries
from training.models import Checkpoint, OrmExample, OrmTraining

ACCURACY = {
    "": {"n": 4, "before": 0.5, "after": 0.75},
    "shop": {"n": 4, "before": 0.5, "after": 0.75},
}


@pytest.fixture
def training() -> OrmTraining:
    row = OrmTrainingFactory(accuracy=ACCURACY)
    Checkpoint.objects.filter(pk=row.checkpoint_id).update(
        parent=CheckpointFactory(kind="orm", uri="starter/orm")
    )
    return row


def measure(training: OrmTraining, before: float, after: float) -> OrmExample:
    return OrmExampleFactory(
        training=training, is_held_out=True, before=before, after=after
    )


def read(client: Client, training: OrmTraining) -> str:
    return client.get(f"/checkpoints/{training.checkpoint_id}/").content.decode()


def test_accuracy_is_told_with_n_and_interval(
    researcher: Client, training: OrmTraining
):
    page = read(researcher, training)

    assert "2/4 · 15 % to 85 %" in page
    assert "3/4 · 30 % to 95 %" in page


@pytest.mark.parametrize("source", ["people", "checks"])
def test_only_one_that_asks_people_alone_is_measured_against_people(
    source: str, researcher: Client, training: OrmTraining
):
    OrmExampleFactory(training=training, source="people")
    OrmExampleFactory(training=training, source=source, is_held_out=True)

    page = read(researcher, training)

    assert ("does not learn from evaluators" in page) is (source == "people")
    assert ("against people" in page) is (source == "people")
    assert "Episodes of test tasks are never used" in page


def test_its_rows_of_evaluators_are_listed_alone(
    researcher: Client, training: OrmTraining
):
    OrmExampleFactory(training=training)
    row = OrmExampleFactory(training=training, source="checks")
    page = read(researcher, training)
    url = f"/checkpoints/{training.checkpoint_id}/episodes/?which=checks"

    assert url in page
    assert list(researcher.get(url).context["page"]) == [row]


def test_it_says_what_it_started_from(researcher: Client, training: OrmTraining):
    page = read(researcher, training)

    assert "Started from" in page
    assert "starter/orm" in page


def test_people_s_rows_are_told_from_its_own(researcher: Client, training: OrmTraining):
    example = OrmExampleFactory(
        training=training, trajectory=TrajectoryFactory(outcome=True)
    )
    said = HumanVerdict.objects.create(
        trajectory=example.trajectory, author=UserFactory(), verdict="success"
    )
    example.verdicts.add(said)
    OrmExampleFactory(training=training, source=OrmExample.Source.OWN)

    url = f"/checkpoints/{training.checkpoint_id}/"
    learning = researcher.get(url).context["learning"]

    assert [(row.source, row.episodes, row.agreed) for row in learning.rows] == [
        ("people", 1, 1),
        ("own", 1, 0),
    ]
    assert (learning.people, learning.verdicts) == (1, 1)


def test_what_changed_is_listed(researcher: Client, training: OrmTraining):
    better, worse = measure(training, 0.2, 0.9), measure(training, 0.9, 0.2)
    measure(training, 0.9, 0.9)
    url = f"/checkpoints/{training.checkpoint_id}/episodes/"

    found = {
        kind: list(researcher.get(f"{url}?which={kind}").context["page"])
        for kind in ("became_right", "became_wrong")
    }

    assert found == {"became_right": [better], "became_wrong": [worse]}


def test_every_episode_leads_to_its_replay(researcher: Client, training: OrmTraining):
    example = OrmExampleFactory(training=training)

    page = researcher.get(f"/checkpoints/{training.checkpoint_id}/episodes/")

    assert f"/trajectories/{example.trajectory_id}/" in page.content.decode()


def test_without_held_out_tasks_it_says_that_nothing_is_known(researcher: Client):
    assert "its accuracy is unknown" in read(researcher, OrmTrainingFactory())


def test_weights_that_learnt_from_nobody_have_an_empty_list(researcher: Client):
    row = CheckpointFactory()

    page = researcher.get(f"/checkpoints/{row.pk}/episodes/")

    assert "It learnt from no episodes" in page.content.decode()


def test_it_names_the_phase_before_the_one_that_it_judges(
    researcher: Client, training: OrmTraining
):
    assert training.checkpoint is not None
    phase = PhaseFactory(next_orm_uri=training.checkpoint.uri)

    assert "its next phase is judged by it" in read(researcher, training)
    page = researcher.get(f"/phases/{phase.pk}/").content.decode()
    assert "Judges the next phase" in page
    assert "3/4 · 30 % to 95 %" in page


def test_its_pages_ask_as_often_for_many_episodes(
    researcher: Client, training: OrmTraining, count_queries: CountQueries
):
    urls = [
        f"/checkpoints/{training.checkpoint_id}/",
        f"/checkpoints/{training.checkpoint_id}/episodes/",
    ]
    measure(training, 0.2, 0.9)
    few = [count_queries(researcher, url) for url in urls]
    for _ in range(5):
        measure(training, 0.2, 0.9)

    many = [count_queries(researcher, url) for url in urls]
    assert many == few
    assert max(many) <= 14


def test_a_phase_asks_once_for_its_reward_models(
    researcher: Client, training: OrmTraining, count_queries: CountQueries
):
    assert training.checkpoint is not None
    phase = PhaseFactory()
    without = count_queries(researcher, f"/phases/{phase.pk}/")
    Phase.objects.filter(pk=phase.pk).update(next_orm_uri=training.checkpoint.uri)

    assert count_queries(researcher, f"/phases/{phase.pk}/") == without
