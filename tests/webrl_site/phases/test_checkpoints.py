from __future__ import annotations

import html
import json
import re

import pytest
from django.test import Client

from tests.factories import (
    SMALL,
    CheckpointFactory,
    ExperienceFactory,
    PhaseFactory,
    RunFactory,
    StepFactory,
    TrainingRunFactory,
    TrajectoryFactory,
)
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries
from training.selectors.loop import list_replay_ids
from webrl_site.loop.reproducibility import record_phase


def test_the_lineage_goes_back_to_the_first_weights(researcher: Client):
    first = CheckpointFactory()
    second = CheckpointFactory(parent=first)
    third = CheckpointFactory(parent=second)

    seen = researcher.get(f"/checkpoints/{third.pk}/")

    assert seen.context["lineage"] == [third, second, first]


def test_it_says_which_episodes_it_was_trained_on(researcher: Client):
    training = TrainingRunFactory()
    episode = TrajectoryFactory(phase=training.phase)
    for _ in range(2):
        step = StepFactory(trajectory=episode)
        ExperienceFactory(training_run=training, step=step)
    ExperienceFactory(
        training_run=training, was_used=False, left_out_reason="too familiar"
    )
    checkpoint = CheckpointFactory(training_run=training)

    [row] = researcher.get(f"/checkpoints/{checkpoint.pk}/").context["trained_on"]

    assert (row.phase_id, row.tasks, row.episodes, row.steps) == (
        training.phase_id,
        1,
        1,
        2,
    )


@pytest.mark.parametrize("rewards", ["reward_model", "evaluators"])
def test_the_replay_buffer_leads_to_the_episodes_that_it_counts(
    rewards: str, researcher: Client
):
    config = {**SMALL.to_json(), "orm": {"rewards": rewards}}
    earlier = PhaseFactory(run=RunFactory(config=config), status="closed")
    later = PhaseFactory(run=earlier.run, status="training")
    by_evaluators = TrajectoryFactory(phase=earlier, outcome=True, reward=0.0)
    by_model = TrajectoryFactory(phase=earlier, outcome=False, reward=1.0)
    kept = by_evaluators if rewards == "evaluators" else by_model
    assert list_replay_ids(later) == [kept.pk]
    training = TrainingRunFactory(phase=later)
    step = StepFactory(trajectory=kept)
    ExperienceFactory(training_run=training, step=step, source="replay")
    checkpoint = CheckpointFactory(training_run=training)

    page = researcher.get(f"/checkpoints/{checkpoint.pk}/").content.decode()
    [link] = re.findall(r'href="(/trajectories/[^"]*)"\s*>1</a>', page)

    listed = researcher.get(html.unescape(link)).context["page"]
    assert [row.pk for row in listed.rows] == [kept.pk]


def test_it_says_who_uses_it_now(researcher: Client):
    checkpoint = CheckpointFactory()
    phase = PhaseFactory(policy_uri=checkpoint.uri)

    uses = researcher.get(f"/checkpoints/{checkpoint.pk}/").context["uses"]

    assert (uses.phases, uses.runs) == ([phase], [])


def test_weights_that_are_gone_are_said_to_be(researcher: Client):
    checkpoint = CheckpointFactory()

    seen = researcher.get(f"/checkpoints/{checkpoint.pk}/")

    assert "no longer readable" in seen.content.decode()


def test_an_unknown_checkpoint_is_not_found(researcher: Client):
    assert researcher.get("/checkpoints/99999/").status_code == 404


def test_a_checkpoint_asks_as_often_for_a_long_lineage(
    researcher: Client, count_queries: CountQueries
):
    row = CheckpointFactory(training_run=TrainingRunFactory())
    few = count_queries(researcher, f"/checkpoints/{row.pk}/")
    for _ in range(4):
        row = CheckpointFactory(parent=row, training_run=TrainingRunFactory())

    assert count_queries(researcher, f"/checkpoints/{row.pk}/") == few <= 12


def test_a_phase_shows_and_gives_away_its_record(researcher: Client, example: Example):
    phase = example.running_phase
    record_phase(phase=phase, stage="collecting")

    shown = researcher.get(f"/phases/{phase.pk}/record/").content.decode()
    saved = json.loads(researcher.get(f"/phases/{phase.pk}/record.json").content)

    assert "seeds.training" in shown
    assert saved["opened"]["seeds"]["run"] == phase.run.seed


def test_a_phase_without_a_record_says_so(researcher: Client, example: Example):
    seen = researcher.get(f"/phases/{example.closed_phase.pk}/record/")

    assert "No record" in seen.content.decode()
