"""Several attempts of a test task narrow no interval: they are not independent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from curriculum.models import Phase
from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.chart_counts import count_error_types, read_test_episodes
from rollouts.selectors.chart_rows import list_phase_keys
from rollouts.selectors.judges import add_up, add_up_mistakes, list_places
from rollouts.selectors.pages import count_by_purpose, count_outcomes
from rollouts.selectors.reward_counts import (
    add_up_calibration,
    add_up_verdicts,
    count_judged,
    count_judged_tasks,
)
from tests.factories import (
    OrmExampleFactory,
    OrmTrainingFactory,
    PhaseFactory,
    RunFactory,
    TaskFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.webrl_site.conftest import SignIn
from training.models import OrmTraining
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
Counts = tuple[int, int]


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
                error_type=("", "stuck", "", "no_attempt")[number],
                reward=1.0,
                success_probability=0.95,
            )
    return made


def draw(chart: Chart, series: str = "", counts: Counts = (6, 12)) -> Bounds:
    [row] = (row for row in chart.rows if series in ("", row.series))
    assert (row.successes, row.n) == counts
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


def of_endings(phase: Phase) -> Bounds:
    tested = read_test_episodes(list_phase_keys([phase.run_id]))
    return draw(charts.endings(tested.endings()), "Solved")


def draw_judging(phase: Phase) -> Chart:
    keys = list_phase_keys([phase.run_id])
    judged = (count_judged(keys), count_judged_tasks(keys))
    return charts.orm_accuracy(add_up_verdicts(*judged))


def of_accuracy(phase: Phase) -> Bounds:
    return draw(draw_judging(phase), "Accuracy")


def of_precision(phase: Phase) -> Bounds:
    return draw(draw_judging(phase), "Precision")


def of_calibration(phase: Phase) -> Bounds:
    keys = list_phase_keys([phase.run_id])
    judged = (count_judged(keys), count_judged_tasks(keys))
    return draw(charts.calibration(add_up_calibration(*judged)))


def among_judges(phase: Phase) -> Bounds:
    client = Client()
    client.force_login(UserFactory(roles=["researcher"]))
    context = client.get(f"/judges/?run={phase.run_id}").context
    [(_, [line]), _] = context["tables"]
    assert line.pairs[0] == context["total"][0]
    return show(context["total"][0])


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
        of_endings,
        of_accuracy,
        of_precision,
        of_calibration,
        among_judges,
        at_home,
        on_its_page,
        compared,
        on_the_command_line,
    ],
)
def test_an_interval_is_that_of_the_tasks(phase: Phase, read: Callable[..., Bounds]):
    once = wilson(2, TASKS)

    assert read(phase) == pytest.approx((once.low, once.high))


def test_only_the_tasks_that_a_share_is_of_count(phase: Phase):
    keys = list_phase_keys([phase.run_id])
    half, all_of_two = wilson(1, 2), wilson(2, 2)
    stuck = str(Trajectory.ErrorType.STUCK.label)

    errors = draw(charts.error_types(count_error_types(keys)), stuck, (3, 6))
    chart = draw_judging(phase)

    assert errors == pytest.approx((half.low, half.high))
    recall = draw(chart, "Recall", (6, 6))
    assert recall == pytest.approx((all_of_two.low, all_of_two.high))


def test_verdicts_of_people_count_by_task_too(phase: Phase):
    person = UserFactory()
    for row in phase.trajectories.all():
        HumanVerdict.objects.create(trajectory=row, author=person, verdict="success")

    pairs = add_up(list_places(phase.run_id))
    wrong_yes, _ = add_up_mistakes(list_places(phase.run_id))

    assert [len(pair.task_ids) for pair in pairs] == [TASKS] * 3
    assert len(wrong_yes.task_ids) == 2


@pytest.fixture
def taught(phase: Phase) -> OrmTraining:
    """A reward model that was measured on all attempts at the four tasks."""
    half = {"n": 12, "before": 0.5, "after": 0.5}
    row: OrmTraining = OrmTrainingFactory(accuracy={"": half, "shop": half})
    for episode in phase.trajectories.all():
        OrmExampleFactory(training=row, trajectory=episode, is_held_out=True)
    return row


def test_a_reward_model_s_accuracy_is_that_of_its_held_out_tasks(
    taught: OrmTraining, sign_in: SignIn
):
    checkpoint, client = taught.checkpoint, sign_in("researcher")
    assert checkpoint is not None
    judged = PhaseFactory(orm_uri=checkpoint.uri)
    once = wilson(2, TASKS)

    told = client.get(f"/api/checkpoints/{checkpoint.pk}/").json()["learning"]
    of_phase = client.get(f"/api/phases/{judged.pk}/").json()
    pages = [f"/checkpoints/{checkpoint.pk}/", f"/phases/{judged.pk}/"]

    shares = [one["after"] for one in told["accuracy"]]
    shares.append(of_phase["reward_model"]["accuracy"]["before"])
    assert {(s["low"], s["high"]) for s in shares} == {(once.low, once.high)}
    for url in pages:
        assert "6/12 · 15 % to 85 %" in client.get(url).content.decode()


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
