"""The grid of test tasks by measurements, and what was lost and won between two."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, Run, Task
from rollouts.models import Trajectory
from tests.factories import PhaseFactory, RunFactory, TaskFactory, TrajectoryFactory
from tests.webrl_site.conftest import CountQueries, SignIn


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")


@pytest.fixture
def run(db: None) -> Run:
    return RunFactory()


def find_task(name: str, template: str = "") -> Task:
    found = Task.objects.filter(key=name).first()
    return found or TaskFactory(
        key=name, split="test", instruction=f"Do {name}", template_key=template
    )


def measure(run: Run, number: int, *outcomes: dict[str, bool]) -> Phase:
    """Write a phase whose evaluation judged these tasks, once for each mapping."""
    phase = PhaseFactory(run=run, number=number, status="closed")
    for repeat, by_task in enumerate(outcomes):
        for name, outcome in by_task.items():
            TrajectoryFactory(
                phase=phase,
                task=find_task(name),
                purpose=Trajectory.Purpose.EVALUATE,
                repeat=repeat,
                outcome=outcome,
            )
    return phase


def look(client: Client, run: Run, **query: str | int) -> Any:
    return client.get(f"/runs/{run.pk}/ledger/", query).context


def changes(seen: Any) -> dict[str, str]:
    return {row.task.instruction: row.change for row in seen["rows"]}


def test_the_newest_measurement_stands_beside_the_one_before(
    researcher: Client, run: Run
):
    measure(run, 1, {"a": True, "b": False, "c": True})
    measure(run, 2, {"a": False, "b": True, "c": True})

    seen = look(researcher, run)

    assert changes(seen) == {"Do a": "lost", "Do b": "won"}
    (compared,) = seen["comparisons"]
    assert (compared.lost, compared.won, compared.right) == (1, 1, 1)


def test_any_two_measurements_can_be_chosen(researcher: Client, run: Run):
    first = measure(run, 1, {"a": True})
    measure(run, 2, {"a": True})
    third = measure(run, 3, {"a": False})

    seen = look(
        researcher,
        run,
        **{"from": f"evaluate-{first.pk}", "to": f"evaluate-{third.pk}"},
    )

    assert changes(seen) == {"Do a": "lost"}
    assert [column.is_from for column in seen["columns"]] == [True, False, False]


def test_a_changed_task_leads_to_both_episodes_side_by_side(
    researcher: Client, run: Run
):
    measure(run, 1, {"a": True}, {"a": False})
    measure(run, 2, {"a": False}, {"a": False})

    page = researcher.get(f"/runs/{run.pk}/ledger/")

    left, right = page.context["rows"][0].pair
    assert Trajectory.objects.get(pk=left).outcome is True
    assert Trajectory.objects.get(pk=right).phase.number == 2
    assert f"/trajectories/{left}/compare/{right}/" in page.content.decode()


def test_repeats_are_shares_and_give_pass_at_k(researcher: Client, run: Run):
    measure(run, 1, {"a": False, "b": False}, {"a": True, "b": False})
    measure(run, 2, {"a": True, "b": True}, {"a": True, "b": False})

    seen = look(researcher, run)

    (compared,) = seen["comparisons"]
    assert (compared.before.mean, compared.after.mean) == (0.25, 0.75)
    assert (compared.k, compared.pass_at_k) == (2, (0.5, 1.0))


def test_unseen_templates_stand_apart(researcher: Client, run: Run):
    TaskFactory(split="train", template_key="known")
    find_task("a", "known"), find_task("b", "new")
    measure(run, 1, {"a": True, "b": False})
    measure(run, 2, {"a": True, "b": True})

    parts = {one.title: one.n for one in look(researcher, run)["comparisons"]}
    assert parts == {"All test tasks": 2, "Seen templates": 1, "Unseen templates": 1}
    assert changes(look(researcher, run, unseen="yes", show="all")) == {"Do b": "won"}


def test_episodes_of_unseen_templates_are_counted_without_a_list_of_all(
    researcher: Client, run: Run
):
    TaskFactory(split="train", template_key="known")
    find_task("a", "known"), find_task("b", "new")
    measure(run, 1, {"a": True, "b": False})

    page = researcher.get(f"/runs/{run.pk}/ledger/?unseen=yes")
    every = researcher.get(f"/runs/{run.pk}/ledger/")

    assert page.context["behind"] == 1 and 'class="muted">1 episode</span>' in page.text
    assert "judged=yes" not in page.text and "judged=yes" in every.text


def test_what_the_browser_broke_is_no_verdict(researcher: Client, run: Run):
    phase = measure(run, 1, {"a": True})
    measure(run, 2, {"a": True})
    TrajectoryFactory(
        phase=phase, task=find_task("b"), purpose="evaluate", status="failed"
    )

    assert look(researcher, run, show="all")["task_count"] == 1


def test_a_run_without_measurements_says_so(researcher: Client, run: Run):
    page = researcher.get(f"/runs/{run.pk}/ledger/?from=x&to=y&optimal_from=-1")

    assert page.status_code == 200
    assert "Nothing has been measured yet" in page.content.decode()


def test_the_phase_page_has_the_part_of_its_own(researcher: Client, run: Run):
    measure(run, 1, {"a": True})
    second = measure(run, 2, {"a": False})

    page = researcher.get(f"/phases/{second.pk}/ledger/")

    assert page.context["comparisons"][0].lost == 1
    assert f"/runs/{run.pk}/ledger/?from=evaluate-" in page.content.decode()


def test_annotators_do_not_see_it(sign_in: SignIn, run: Run):
    assert sign_in("annotator").get(f"/runs/{run.pk}/ledger/").status_code == 403


def test_more_phases_need_no_more_queries(
    researcher: Client, run: Run, count_queries: CountQueries
):
    measure(run, 1, {"a": True})
    measure(run, 2, {"a": False})
    few = count_queries(researcher, f"/runs/{run.pk}/ledger/")
    for number in (3, 4, 5):
        measure(run, number, {"a": True, "b": False})

    assert count_queries(researcher, f"/runs/{run.pk}/ledger/") == few
