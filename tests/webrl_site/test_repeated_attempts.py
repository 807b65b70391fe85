"""Several attempts of a test task narrow no interval: they are not independent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from curriculum.models import Phase
from rollouts.selectors.chart_counts import read_test_episodes
from rollouts.selectors.chart_rows import list_phase_keys
from rollouts.selectors.pages import count_by_purpose, count_outcomes
from tests.factories import PhaseFactory, RunFactory, TaskFactory, TrajectoryFactory
from tests.webrl_site.conftest import SignIn
from webrl_site import charts
from webrl_site.charts import Chart
from webrl_site.home.page import success_points
from webrl_site.runs.compare import describe_comparison
from webrl_site.runs.measurements import measure
from webrl_site.runs.results import measure_success
from webrl_site.statistics import Proportion, wilson

pytestmark = pytest.mark.django_db
TASKS, ATTEMPTS = 4, 3
Bounds = tuple[float | None, float | None]


@pytest.fixture
def phase() -> Phase:
    """Four test tasks, each attempted three times; two are solved every time."""
    made = PhaseFactory(run=RunFactory(), status="closed")
    for number in range(TASKS):
        task = TaskFactory(split="test", optimal_steps=2, instruction="Open the shop")
        for repeat in range(ATTEMPTS):
            TrajectoryFactory(
                phase=made,
                task=task,
                purpose="evaluate",
                repeat=repeat,
                outcome=number % 2 == 0,
            )
    return made


def draw(chart: Chart) -> Bounds:
    [row] = chart.rows
    assert (row.successes, row.n) == (6, 12)
    assert "attempted several times" in chart.text
    assert row.low is not None and row.high is not None
    return row.low / 100, row.high / 100


def show(share: Proportion) -> Bounds:
    assert (share.successes, share.n) == (6, 12)
    return share.low, share.high


def by_phase(phase: Phase) -> Bounds:
    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    return draw(charts.success_by_phase(tested.by_site()))


def by_site(phase: Phase) -> Bounds:
    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    return draw(charts.success_by_site(tested.by_site()))


def by_steps(phase: Phase) -> Bounds:
    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    return draw(charts.success_by_steps(tested.at_ends().by_steps()))


def by_words(phase: Phase) -> Bounds:
    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    return draw(charts.success_by_words(tested.at_ends().by_words()))


def at_home(phase: Phase) -> Bounds:
    [point] = success_points(count_outcomes([phase.run_id]), {})
    return show(point.proportion)


def on_its_page(phase: Phase) -> Bounds:
    found = measure(phase, "evaluate", count_by_purpose([phase.pk]))
    assert found is not None
    return show(found.proportion)


def compared(phase: Phase) -> Bounds:
    [(_, [share])] = describe_comparison([phase.run])["success"]
    return show(share)


def on_the_command_line(phase: Phase) -> Bounds:
    return show(measure_success(phase, "evaluate"))


@pytest.mark.parametrize(
    "read",
    [
        by_phase,
        by_site,
        by_steps,
        by_words,
        at_home,
        on_its_page,
        compared,
        on_the_command_line,
    ],
)
def test_an_interval_is_that_of_the_tasks(phase: Phase, read: Callable[..., Bounds]):
    once = wilson(2, TASKS)

    assert read(phase) == pytest.approx((once.low, once.high))


def test_the_api_counts_the_tasks(phase: Phase, sign_in: SignIn):
    client: Client = sign_in("researcher")

    counts = client.get(f"/api/phases/{phase.pk}/").json()["counts"]["evaluate"]

    once = wilson(2, TASKS)
    assert (counts["judged"], counts["judged_tasks"]) == (12, TASKS)
    assert (counts["success_low"], counts["success_high"]) == pytest.approx(
        (once.low, once.high)
    )


def test_one_attempt_per_task_is_not_explained(phase: Phase):
    phase.trajectories.filter(repeat__gt=0).delete()

    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    chart = charts.success_by_phase(tested.by_site())

    assert "several times" not in chart.text


@pytest.mark.parametrize("tasks", [0, 4])
def test_impossible_numbers_of_tasks_are_refused(tasks: int):
    with pytest.raises(ValueError, match="attempts of"):
        wilson(1, 3, tasks=tasks)
