from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import pytest

from curriculum.models import Phase, PhaseEvent, Task
from tests import fakes
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    StepFactory,
    TrajectoryFactory,
)
from training import services
from training.rl.types import Trajectory
from training.services.scoring import BATCH

pytestmark = pytest.mark.django_db


def score(phase: Phase) -> int:
    return services.score_phase(phase_id=phase.pk, owner="me")


def test_the_verdict_gives_probability_and_reward() -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    pages = [fakes.SOLVED_PAGE, fakes.OTHER_PAGE]
    rows = [TrajectoryFactory(phase=phase, final_observation=page) for page in pages]
    for row in rows:
        StepFactory(trajectory=row)

    assert score(phase) == 2

    for row in rows:
        row.refresh_from_db()
    assert [(r.success_probability, r.reward) for r in rows] == [(0.9, 1), (0.2, 0)]


def test_an_episode_without_a_step_did_not_succeed() -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    row = TrajectoryFactory(phase=phase, final_observation=fakes.SOLVED_PAGE)

    score(phase)

    row.refresh_from_db()
    assert row.reward == 0


def test_an_instruction_that_is_too_long_to_read_ends_no_scoring() -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    rows = [
        StepFactory(
            trajectory__phase=phase,
            trajectory__final_observation=fakes.SOLVED_PAGE,
            trajectory__task__instruction=instruction,
        ).trajectory
        for instruction in ("Find the lamp", "Find the lamp. " * 400)
    ]

    assert score(phase) == 2

    for row in rows:
        row.refresh_from_db()
    assert [row.reward for row in rows] == [1, 0]
    told = PhaseEvent.objects.get(phase=phase, kind="message").data["text"]
    assert told.endswith("no room for a page: 1. They score 0.")


@pytest.mark.parametrize(("probability", "reward"), [(0.5, 0), (0.501, 1)])
def test_success_must_be_likelier_than_not(
    probability: float, reward: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        fakes.FakeRewardModel, "score", lambda self, rows: [probability] * len(rows)
    )
    phase = PhaseFactory(status=Phase.Status.SCORING)
    row = StepFactory(trajectory__phase=phase).trajectory

    score(phase)

    row.refresh_from_db()
    assert row.reward == reward


def test_scoring_goes_on_where_it_was_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    rows = [StepFactory(trajectory__phase=phase).trajectory for _ in range(40)]
    asked: list[int] = []

    def die_on_second(self: Any, episodes: Any) -> list[float]:
        asked.append(len(episodes))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return [0.9] * len(episodes)

    monkeypatch.setattr(fakes.FakeRewardModel, "score", die_on_second)
    with pytest.raises(KeyboardInterrupt):
        score(phase)
    assert score(phase) == len(rows) - 32
    assert asked == [32, 8, 8]


def test_nothing_is_scored_in_another_stage() -> None:
    phase = PhaseFactory(status=Phase.Status.STOPPED)
    StepFactory(trajectory__phase=phase)

    assert score(phase) == 0


def test_tasks_are_valued_on_their_parents_first_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phase = PhaseFactory(status=Phase.Status.EVOLVING)
    low, middle, high = (
        EvolvedTaskFactory(born_in=phase, status="proposed", value_estimate=None)
        for _ in range(3)
    )
    for task in (low, middle, high):
        StepFactory(
            trajectory__task=task.parent,
            trajectory__phase=phase,
            observation=f"page of {task.pk}",
        )
    values = {f"page of {low.pk}": 0.01, f"page of {middle.pk}": 0.5}
    monkeypatch.setattr(
        fakes.FakeValueEstimator,
        "estimate",
        lambda self, starts: [values.get(page, 0.99) for _, page in starts],
    )

    assert services.estimate_values(phase_id=phase.pk, owner="me") == 1

    rows = Task.objects.filter(born_in=phase).order_by("pk")
    assert [row.status for row in rows] == ["filtered", "shortlisted", "filtered"]
    assert [row.value_estimate for row in rows] == [0.01, 0.5, 0.99]
    assert "Too hard" in rows[0].filter_reason
    assert "Too easy" in rows[2].filter_reason


def test_a_first_page_is_that_of_the_phase_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phase = PhaseFactory(status=Phase.Status.EVOLVING)
    task = EvolvedTaskFactory(born_in=phase, status="proposed", value_estimate=None)
    StepFactory(
        trajectory__task=task.parent, trajectory__phase=phase, observation="own form"
    )
    # Another run may read pages in another form.
    StepFactory(trajectory__task=task.parent, observation="another run's form")
    seen: list[str] = []

    def note(self: Any, starts: Sequence[tuple[str, str]]) -> list[float]:
        seen.extend(page for _, page in starts)
        return [0.5] * len(starts)

    monkeypatch.setattr(fakes.FakeValueEstimator, "estimate", note)

    services.estimate_values(phase_id=phase.pk, owner="me")

    assert seen == ["own form"]


def count_episodes() -> int:
    """Episodes in memory, in the form in which models read them."""
    return sum(type(one) is Trajectory for one in gc.get_objects())


def test_only_the_episodes_that_are_being_scored_are_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    for row in TrajectoryFactory.create_batch(BATCH + 2, phase=phase):
        StepFactory(trajectory=row)
    before, seen = count_episodes(), list[tuple[int, int]]()

    def look(self: object, rows: Sequence[Trajectory]) -> list[float]:
        seen.append((len(rows), count_episodes() - before))
        return [0.9] * len(rows)

    monkeypatch.setattr(fakes.FakeRewardModel, "score", look)

    assert score(phase) == BATCH + 2
    assert seen == [(BATCH, BATCH), (2, 2)]
