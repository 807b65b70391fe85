from __future__ import annotations

import copy
from typing import Any

import pytest
from django.test import Client

from curriculum.models import Run, Task
from rollouts.models import Trajectory
from tests.factories import (
    SMALL,
    MetricFactory,
    PhaseFactory,
    RunFactory,
    TaskFactory,
    TrajectoryFactory,
)
from tests.webrl_site.conftest import CountQueries


def measured_run(outcomes: dict[int, bool], **run: object) -> Run:
    """A run whose one phase was evaluated on test tasks of these numbers."""
    made = RunFactory(**run)
    phase = PhaseFactory(run=made, status="closed")
    for number, outcome in outcomes.items():
        task = Task.objects.filter(key=f"t{number}").first()
        task = task or TaskFactory(key=f"t{number}", split="test")
        TrajectoryFactory(
            phase=phase,
            task=task,
            outcome=outcome,
            purpose=Trajectory.Purpose.EVALUATE,
        )
    return made


def compare(client: Client, *runs: Run) -> Any:
    query = "&".join(f"run={run.pk}" for run in runs)
    return client.get(f"/runs/compare/?{query}").context


def test_only_settings_that_differ_stand_side_by_side(researcher: Client):
    config = copy.deepcopy(SMALL.to_json())
    config["rollout"]["contexts"] = 9

    seen = compare(researcher, RunFactory(), RunFactory(config=config))

    assert [(row.key, row.values) for row in seen["differing"]] == [
        ("rollout.contexts", ("3", "9"))
    ]


def test_flips_go_both_ways_and_open_both_episodes(researcher: Client):
    one = measured_run({1: True, 2: False, 3: True, 4: False, 5: True})
    other = measured_run({1: False, 2: True, 3: True, 4: False, 6: True})

    flips = compare(researcher, one, other)["flips"]

    assert (flips.lost_count, flips.won_count) == (1, 1)
    assert (flips.both_right, flips.both_wrong) == (1, 1)
    assert flips.lost[0].before.trajectory_id != flips.lost[0].after.trajectory_id


@pytest.mark.parametrize(("flipped", "is_folded"), [(20, False), (21, True)])
def test_a_long_list_of_flips_is_folded(researcher: Client, flipped, is_folded):
    one = measured_run(dict.fromkeys(range(flipped), False))
    other = measured_run(dict.fromkeys(range(flipped), True))

    page = researcher.get(f"/runs/compare/?run={one.pk}&run={other.pk}")

    text = page.content.decode()
    assert ('<details class="flips">' in text) == is_folded
    assert ('<details class="flips" open>' in text) != is_folded


def test_the_newest_measurement_counts(researcher: Client):
    one, other = measured_run({1: False}), measured_run({1: True})
    task = Trajectory.objects.filter(phase__run=one).get().task
    later = PhaseFactory(run=one, number=2, status="closed")
    TrajectoryFactory(phase=later, task=task, outcome=True, purpose="evaluate")

    flips = compare(researcher, one, other)["flips"]

    assert (flips.both_right, flips.total) == (1, 1)


def test_runs_that_were_not_measured_have_no_flips(researcher: Client):
    seen = compare(researcher, RunFactory(), RunFactory())

    assert seen["flips"] is None


def test_runs_measured_on_the_same_tasks_need_no_caution(researcher: Client):
    one = measured_run({1: True, 2: False})
    other = measured_run({1: True, 2: True})
    broken = Trajectory.objects.filter(phase__run=other, task__key="t2")
    broken.update(status="failed", outcome=None)

    assert compare(researcher, one, other, RunFactory())["shared"] is None


def test_different_test_tasks_are_told_and_the_shared_ones_counted(researcher: Client):
    one = measured_run({1: True, 2: False, 3: True})
    other, unmeasured = (
        measured_run({2: True, 3: True, 4: False, 5: False}),
        RunFactory(),
    )

    shared = compare(researcher, one, other, unmeasured)["shared"]

    assert (shared.attempted, shared.n) == ([(one, 3), (other, 4)], 2)
    counts = [share and (share.successes, share.n) for share in shared.shares]
    assert counts == [(1, 2), (2, 2), None]


def test_different_test_tasks_show_a_notice_and_a_line_of_their_own(researcher: Client):
    one, other = measured_run({1: True, 2: False}), measured_run({2: True})

    page = researcher.get(
        f"/runs/compare/?run={one.pk}&run={other.pk}"
    ).content.decode()

    assert "Not the same test tasks" in page and "on the 1 shared task<" in page


def test_the_two_runs_can_be_swapped(researcher: Client):
    one, other, third = (measured_run({1: right}) for right in (True, False, True))
    query = f"run={one.pk}&run={other.pk}&run={third.pk}"

    page = researcher.get(f"/runs/compare/?{query}").content.decode()

    swapped = f"run={other.pk}&amp;run={one.pk}&amp;run={third.pk}"
    assert f"/runs/compare/?{swapped}" in page


def test_seeds_of_one_configuration_have_a_mean_with_an_interval(researcher: Client):
    one = measured_run({1: True, 2: False}, seed=1)
    other = measured_run({1: True, 2: True}, seed=2)

    [group] = compare(researcher, one, other)["groups"]

    [one] = group.means
    assert (one.label, one.mean.n, one.mean.mean) == ("Phase 1", 2, 0.75)
    assert one.mean.low < 0.75 < one.mean.high
    assert one.difference is None


def test_seeds_of_a_second_configuration_are_compared_with_the_first(
    researcher: Client,
):
    config = copy.deepcopy(SMALL.to_json())
    config["algorithm"]["beta"] = 9.0
    one = measured_run({1: True, 2: False}, seed=1)
    other = measured_run({1: False, 2: False}, seed=2)
    better = [
        measured_run({1: True, 2: True}, seed=seed, config=config) for seed in (1, 2)
    ]

    seen = compare(researcher, one, other, *better)["groups"]

    [difference] = [mean.difference for mean in seen[1].means]
    assert difference.mean == 0.75 and difference.low < 0 < difference.high
    assert [mean.difference for mean in seen[0].means] == [None]


def test_runs_of_other_configurations_form_no_group(researcher: Client):
    seen = compare(researcher, RunFactory(), RunFactory(policy_uri="starter/critic"))

    assert seen["groups"] == []


def test_metrics_are_those_of_the_newest_training(researcher: Client):
    metric = MetricFactory(value=2.0)
    run = metric.training_run.phase.run
    MetricFactory(training_run=metric.training_run, value=4.0)

    [one] = compare(researcher, run, RunFactory())["metrics"]

    assert (one.name, one.values) == ("train/policy_loss", [3.0, None])


def test_metrics_with_a_chart_come_first_with_their_name_and_unit(researcher: Client):
    training = MetricFactory(name="train/advantage").training_run
    MetricFactory(training_run=training, name="train/kl", value=0.0)

    found = compare(researcher, training.phase.run, RunFactory())["metrics"]

    assert [(one.name, one.label, one.unit) for one in found] == [
        ("train/kl", "KL from the previous policy", "nats per action"),
        ("train/advantage", "", ""),
    ]


@pytest.mark.parametrize("query", ["", "?run=1", "?run=x&run=", "?run=99999&run=88888"])
def test_fewer_than_two_runs_are_asked_for(query: str, researcher: Client):
    seen = researcher.get(f"/runs/compare/{query}")

    assert "Choose two or more runs" in seen.content.decode()


def test_more_runs_than_fit_are_counted(researcher: Client):
    seen = compare(researcher, *RunFactory.create_batch(8))

    assert (len(seen["runs"]), seen["left_out"]) == (6, 2)


def test_the_comparison_asks_as_often_for_much_as_for_little(
    researcher: Client, count_queries: CountQueries
):
    one, other = measured_run({1: True}), measured_run({1: False})
    url = f"/runs/compare/?run={one.pk}&run={other.pk}"
    few = count_queries(researcher, url)
    phases = [PhaseFactory(run=run, number=2, status="closed") for run in (one, other)]
    for task in TaskFactory.create_batch(5, split="test"):
        for phase in phases:
            TrajectoryFactory(phase=phase, task=task, outcome=True, purpose="evaluate")

    assert count_queries(researcher, url) == few <= 12


def attempt_twice(outcomes: dict[int, tuple[bool, bool]]) -> Run:
    """A run that attempted each of these test tasks twice."""
    made = measured_run({number: first for number, (first, _) in outcomes.items()})
    for row in list(Trajectory.objects.filter(phase__run=made)):
        number = int(row.task.key.removeprefix("t"))
        TrajectoryFactory(
            phase=row.phase,
            task=row.task,
            repeat=1,
            outcome=outcomes[number][1],
            purpose=row.purpose,
        )
    return made


def test_of_several_attempts_the_share_that_solved_a_task_counts(researcher: Client):
    yes, no = True, False
    one = attempt_twice({1: (yes, no), 2: (yes, yes), 3: (no, no), 4: (yes, no)})
    other = attempt_twice({1: (no, yes), 2: (no, yes), 3: (no, yes), 4: (no, no)})

    flips = compare(researcher, one, other)["flips"]

    assert (flips.lost_count, flips.won_count, flips.total) == (2, 1, 4)
    assert (flips.both_right, flips.both_wrong) == (1, 0)
    assert all(flip.before.is_right > flip.after.is_right for flip in flips.lost)
    assert all(flip.before.is_right < flip.after.is_right for flip in flips.won)


def test_the_difference_of_two_runs_has_an_interval_and_a_p_value(researcher: Client):
    one = measured_run({1: False, 2: False, 3: True, 4: False})
    other = measured_run({1: True, 2: True, 3: True, 5: True})

    found = compare(researcher, one, other)["comparisons"][0]

    assert (found.n, found.lost, found.won) == (3, 0, 2)
    assert found.difference.mean == pytest.approx(2 / 3)
    assert found.difference.low <= 2 / 3 <= found.difference.high
    assert 0 < found.p_value <= 1


def test_each_of_more_runs_is_compared_with_the_first(researcher: Client):
    first, worse = measured_run({1: True, 2: True}), measured_run({1: False, 2: True})
    other, unmeasured = measured_run({9: True}), RunFactory()

    seen = compare(researcher, first, worse, other, unmeasured)

    [found] = seen["comparisons"]
    assert (found.title, found.difference.mean) == (str(worse), -0.5)


def test_runs_without_a_shared_measurement_have_no_difference(researcher: Client):
    one, other = measured_run({1: True}), measured_run({2: True})

    assert compare(researcher, one, other)["comparisons"] == []
    assert compare(researcher, RunFactory(), other)["comparisons"] == []
