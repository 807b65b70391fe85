"""What SFT reads of successes by hand."""

from __future__ import annotations

import pytest
from django.utils import timezone

from curriculum.models import Task
from rollouts.browser.errors import explain_notes
from rollouts.models import Takeover
from rollouts.selectors.pages import filter_trajectories
from tests.factories import StepFactory
from tests.rollouts.by_hand import make_source, take_over
from training.selectors.demonstrations import count_held_out, read_demonstrations

pytestmark = pytest.mark.django_db


def play(*errors: str, kept: bool = True) -> Takeover:
    """Return a takeover at step 3 whose person took a step for each of `errors`."""
    takeover = take_over(make_source(), number=3)
    for index, error in enumerate(["", "", *errors]):
        StepFactory(
            trajectory=takeover.trajectory,
            index=index,
            output=f"step {index}",
            error=error,
        )
    now = timezone.now() if kept else None
    Takeover.objects.update(closed_at=timezone.now(), kept_at=now)
    return takeover


def learnt(takeover: Takeover) -> list[str]:
    run_id = takeover.trajectory.phase.run_id
    found = read_demonstrations(run_id)
    return [step.output for episode in found for step in episode.transitions]


def test_the_agents_steps_are_history_and_not_learnt() -> None:
    takeover = play("", "")
    assert learnt(takeover) == ["step 2", "step 3"]
    (episode,) = read_demonstrations(takeover.trajectory.phase.run_id)
    assert episode.transitions[0].history == ("step 0", "step 1")


def test_an_action_that_failed_is_not_learnt() -> None:
    assert learnt(play("Covered by another element.", "")) == ["step 3"]


def test_a_step_that_met_a_dialog_is_learnt() -> None:
    told = explain_notes(frozenset(), ["Sure?"])
    assert learnt(play(told, "")) == ["step 2", "step 3"]


def test_what_was_not_kept_is_not_read() -> None:
    assert learnt(play("", kept=False)) == []


def test_demonstrations_are_filtered_by_their_own_word() -> None:
    takeover = play("")
    assert [row.pk for row in filter_trajectories(kept="yes")] == [
        takeover.trajectory_id
    ]


@pytest.mark.parametrize(
    "kind", [{"split": "validation"}, {"split": "test"}, {"status": "filtered"}]
)
def test_what_was_kept_of_held_out_tasks_is_never_learnt(kind: dict[str, str]) -> None:
    takeover = play("")
    Task.objects.update(**kind)
    assert learnt(takeover) == []
    assert count_held_out(takeover.trajectory.phase.run_id) == 1


@pytest.mark.parametrize("kind", [{"split": "test"}, {"status": "filtered"}])
def test_the_filter_tells_held_out_demonstrations_apart(kind: dict[str, str]) -> None:
    takeover = play("")
    Task.objects.update(**kind)
    assert not filter_trajectories(kept="yes")
    assert [row.pk for row in filter_trajectories(kept="held_out")] == [
        takeover.trajectory_id
    ]
