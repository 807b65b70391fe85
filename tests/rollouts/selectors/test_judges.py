from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.judges import (
    Agreement,
    add_up,
    add_up_mistakes,
    list_people_say,
    list_places,
    list_to_audit,
)
from tests.factories import PhaseFactory, TrajectoryFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase():
    return PhaseFactory.create()


@pytest.fixture
def people() -> list[User]:
    return [User.objects.create_user(name) for name in ("ada", "bo", "cleo")]


def episode(phase, probability: float, outcome: bool | None = None) -> Trajectory:
    return TrajectoryFactory.create(
        phase=phase,
        status="finished",
        ended_by="exit",
        outcome=outcome,
        success_probability=probability,
        reward=float(probability > 0.5),
    )


def say(row: Trajectory, who: User, verdict: str) -> None:
    HumanVerdict.objects.create(trajectory=row, author=who, verdict=verdict)


def test_what_most_people_say_counts(phase, people):
    row = episode(phase, 0.9)
    for who, verdict in zip(people, ("failure", "failure", "success"), strict=True):
        say(row, who, verdict)
    [said] = list_people_say(phase.run_id)
    assert (said.is_success, said.overrules) == (False, True)


def test_a_draw_and_those_who_cannot_tell_say_nothing(phase, people):
    draw, unclear = episode(phase, 0.9), episode(phase, 0.9)
    say(draw, people[0], "failure")
    say(draw, people[1], "success")
    say(unclear, people[0], "unclear")
    assert list_people_say(phase.run_id) == []


def test_only_the_newest_verdict_of_a_person_counts(phase, people):
    row = episode(phase, 0.9)
    say(row, people[0], "failure")
    say(row, people[0], "success")
    [said] = list_people_say(phase.run_id)
    assert said.is_success and not said.overrules


def test_the_three_pairs_of_judges_are_counted_place_by_place(phase, people):
    right, wrong = episode(phase, 0.9, True), episode(phase, 0.9, False)
    say(right, people[0], "success")
    say(wrong, people[0], "failure")
    pairs = add_up(list_places(phase.run_id))
    assert pairs == (Agreement(1, 2), Agreement(1, 2), Agreement(2, 2))


def test_an_episode_without_evaluators_counts_where_it_can(phase, people):
    say(episode(phase, 0.9), people[0], "success")
    pairs = add_up(list_places(phase.run_id))
    assert pairs == (Agreement(0, 0), Agreement(1, 1), Agreement(0, 0))


def test_the_most_informative_episodes_come_first(phase, people):
    sure = episode(phase, 0.99, True)
    unsure = episode(phase, 0.52, True)
    differs = episode(phase, 0.97, False)
    found = list_to_audit(phase.run_id, people[0])
    assert found == [differs, unsure, sure]


def test_nobody_is_asked_twice(phase, people):
    row = episode(phase, 0.6)
    say(row, people[0], "unclear")
    assert list_to_audit(phase.run_id, people[0]) == []
    assert list_to_audit(phase.run_id, people[1]) == [row]


def test_other_runs_are_another_matter(phase, people):
    say(episode(PhaseFactory.create(), 0.9, True), people[0], "success")
    assert list_places(phase.run_id) == []
    assert list_to_audit(phase.run_id, people[0]) == []


def test_both_kinds_of_the_reward_models_mistakes_are_counted(phase):
    for probability, outcome in ((0.9, False), (0.1, False), (0.2, False), (0.8, True)):
        episode(phase, probability, outcome)
    episode(phase, 0.9)

    rows = list_places(phase.run_id)

    assert add_up_mistakes(rows) == (Agreement(1, 3), Agreement(0, 1))
    assert add_up(rows)[0] == Agreement(3, 4)
