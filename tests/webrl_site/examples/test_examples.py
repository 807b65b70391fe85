from __future__ import annotations

import datetime as dt

import pytest
from django.core.management import CommandError, call_command

from curriculum.models import Phase, Run, Task
from rollouts.models import Step, Trajectory
from webrl_site.examples.scale import SCALES, Scale
from webrl_site.examples.writing import ExampleError, write_example

TINY = Scale(
    runs=1, phases=2, collected=8, evaluated=5, steps=3, evolved=4, metric_steps=2
)


@pytest.mark.django_db
def test_an_example_has_as_many_rows_as_its_scale_says():
    write_example(TINY)
    measured = Trajectory.objects.exclude(purpose=Trajectory.Purpose.BASELINE)
    assert measured.count() == TINY.episodes == 26
    assert Step.objects.count() == Trajectory.objects.count() * TINY.steps


@pytest.mark.django_db
def test_the_newest_phase_of_an_example_waits_for_review():
    write_example(TINY)
    newest = Phase.objects.get(number=2)
    assert newest.status == Phase.Status.REVIEW
    assert newest.evolved.filter(status=Task.Status.SHORTLISTED).exists()


@pytest.mark.django_db
def test_a_phase_of_an_example_begins_with_what_the_one_before_made():
    write_example(TINY)
    first, second = Phase.objects.order_by("number")
    assert second.policy_uri == first.next_policy_uri != ""


@pytest.mark.django_db
def test_the_same_seed_writes_the_same_outcomes():
    write_example(TINY, seed=3)
    outcomes = list(Trajectory.objects.values_list("task__instruction", "outcome"))
    Trajectory.objects.all().delete()
    Run.objects.all().delete()
    Task.objects.filter(origin=Task.Origin.EVOLVED).delete()
    write_example(TINY, seed=3)
    assert (
        list(Trajectory.objects.values_list("task__instruction", "outcome")) == outcomes
    )


@pytest.mark.django_db
def test_an_example_never_stands_among_other_runs():
    Run.objects.create(name="mine", policy_uri="a", critic_uri="b", orm_uri="c")
    with pytest.raises(ExampleError, match="WEBRL_DATA_DIR"):
        write_example(TINY)
    with pytest.raises(CommandError, match="This database has runs"):
        call_command("seed_examples")
    assert not Trajectory.objects.exists()


def test_the_large_example_is_what_the_bars_speak_of():
    large = SCALES["large"]
    assert large.episodes >= 50_000
    assert large.episodes * large.steps >= 500_000
    assert large.runs * large.phases * large.evolved + 2_000 >= 10_000


@pytest.mark.django_db
def test_the_dates_of_an_example_follow_one_another():
    write_example(TINY)
    first, second = Phase.objects.select_related("run").order_by("number")
    assert first.run.created_at <= first.created_at < first.ended_at
    assert first.ended_at < second.created_at + dt.timedelta(hours=1)
