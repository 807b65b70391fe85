"""A run's training episodes by template."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import Phase, Run, Task
from rollouts.models import Takeover, Trajectory
from tests.factories import (
    PhaseFactory,
    RunFactory,
    TaskFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.webrl_site.conftest import CountQueries, SignIn
from webrl_site.attempts.page import FIRST_ROWS


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")


@pytest.fixture
def run(db: None) -> Run:
    return RunFactory()


def add_phase(run: Run, number: int) -> Phase:
    return PhaseFactory(run=run, number=number, status="closed")


def attempt(
    phase: Phase,
    template: str,
    *rewards: float | None,
    task: Task | None = None,
    outcome: bool | None = None,
) -> list[Trajectory]:
    """Add a scored training episode of the template for each reward."""
    task = task or TaskFactory(
        template_key=template, instruction=f"Do {template}", split="train"
    )
    return [
        TrajectoryFactory(
            phase=phase, task=task, repeat=repeat, reward=reward, outcome=outcome
        )
        for repeat, reward in enumerate(rewards)
    ]


def look(client: Client, run: Run, **query: str) -> Any:
    return client.get(f"/runs/{run.pk}/attempts/", query).context


def templates(seen: Any) -> list[str]:
    return [row.attempts.template for row in seen["rows"]]


def test_each_phase_says_how_many_attempts_solved_a_template(
    researcher: Client, run: Run
):
    attempt(add_phase(run, 1), "buy", 0, 1, 0)
    attempt(add_phase(run, 2), "buy", 1, 1)

    (row,) = look(researcher, run)["rows"]

    tallies = [(cell.number, cell.tally.solved, cell.tally.n) for cell in row.cells]
    assert tallies == [(1, 1, 3), (2, 2, 2)]
    assert (row.attempts.total.solved, row.attempts.total.n) == (3, 5)


def test_templates_that_were_never_solved_come_first(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    attempt(phase, "often", 1, 1)
    attempt(phase, "never", 0)
    attempt(phase, "never, tried more", 0, 0)
    attempt(phase, "now and then", 0, 1)

    seen = look(researcher, run)

    wanted = ["never, tried more", "never", "now and then", "often"]
    assert templates(seen) == wanted
    assert (seen["unsolved_count"], seen["unsolved_attempts"]) == (2, 3)


def test_only_those_never_solved_can_be_shown(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    attempt(phase, "often", 1)
    attempt(phase, "never", 0)

    assert templates(look(researcher, run, show="unsolved")) == ["never"]
    assert templates(look(researcher, run, show="solved")) == ["often"]


def test_a_site_can_be_chosen(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    (here,) = attempt(phase, "here", 0)
    attempt(phase, "there", 0, task=TaskFactory(template_key="there", site__key="b"))

    assert templates(look(researcher, run, site=here.task.site.key)) == ["here"]


def test_a_long_list_is_shown_whole_on_request(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    for number in range(FIRST_ROWS + 1):
        attempt(phase, f"template {number}", 0)

    first, whole = look(researcher, run), look(researcher, run, whole="1")

    assert (len(first["rows"]), first["found_count"]) == (FIRST_ROWS, FIRST_ROWS + 1)
    assert "?whole=1" in researcher.get(f"/runs/{run.pk}/attempts/").content.decode()
    assert len(whole["rows"]) == FIRST_ROWS + 1


def test_a_success_is_what_the_run_trains_on(researcher: Client, run: Run):
    run.config = {**run.config, "orm": {"rewards": "evaluators"}}
    run.save()
    attempt(add_phase(run, 1), "buy", 0, outcome=True)

    (row,) = look(researcher, run)["rows"]

    assert row.attempts.total.solved == 1


def test_an_imported_run_without_rewards_counts_outcomes(researcher: Client, run: Run):
    attempt(add_phase(run, 1), "buy", None, outcome=True)

    (row,) = look(researcher, run)["rows"]

    assert (row.attempts.total.solved, row.attempts.total.n) == (1, 1)


def test_the_newest_failure_can_be_opened(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    _, newest, _ = attempt(phase, "buy", 0, 0, 1)

    page = researcher.get(f"/runs/{run.pk}/attempts/").content.decode()

    assert f'href="/trajectories/{newest.pk}/"' in page


def test_a_cell_leads_to_the_episodes_it_counts(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    counted = attempt(phase, "buy", 0, 1)
    attempt(phase, "sell", 0)

    (cell,) = look(researcher, run)["rows"][1].cells
    listed = researcher.get(cell.url).context["page"].rows

    assert {row.pk for row in listed} == {row.pk for row in counted}


def test_demonstrations_of_a_template_are_counted(researcher: Client, run: Run):
    (failed,) = attempt(add_phase(run, 1), "buy", 0)
    shown = TrajectoryFactory(task=failed.task, purpose="by_hand", phase=failed.phase)
    Takeover.objects.create(
        trajectory=shown,
        author=UserFactory(),
        forked_from=failed,
        forked_at=0,
        deadline=timezone.now(),
        closed_at=timezone.now(),
        kept_at=timezone.now(),
    )

    (row,) = look(researcher, run)["rows"]

    assert row.attempts.demonstrations == 1


def test_tasks_without_a_template_are_counted_apart(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    attempt(phase, "", 0, 1)
    attempt(phase, "buy", 1)

    seen = look(researcher, run)

    assert (templates(seen), seen["others"]) == (["buy"], 2)


def test_a_run_that_collected_nothing_says_so(researcher: Client, run: Run):
    page = researcher.get(f"/runs/{run.pk}/attempts/").content.decode()

    assert "Nothing has been collected yet" in page


def test_test_episodes_are_no_attempts(researcher: Client, run: Run):
    phase = add_phase(run, 1)
    TrajectoryFactory(phase=phase, purpose="evaluate", reward=1, outcome=True)

    assert templates(look(researcher, run)) == []


def test_more_templates_and_phases_ask_no_more_questions(
    researcher: Client, run: Run, count_queries: CountQueries
):
    attempt(add_phase(run, 1), "buy", 0)
    few = count_queries(researcher, f"/runs/{run.pk}/attempts/")
    for number in (2, 3):
        for name in ("sell", "look"):
            attempt(
                Phase.objects.filter(number=number).first() or add_phase(run, number),
                name,
                1,
            )

    assert count_queries(researcher, f"/runs/{run.pk}/attempts/") == few


def test_an_annotator_has_no_attempts_page(sign_in: SignIn, run: Run):
    assert sign_in("annotator").get(f"/runs/{run.pk}/attempts/").status_code == 403


@pytest.mark.parametrize(
    ("rewards", "outcome"), [([0, 1, None], None), ([None, None], True)]
)
def test_a_cell_leads_to_the_episodes_that_it_counts(
    rewards: list[float | None],
    outcome: bool | None,
    researcher: Client,
    run: Run,
):
    phase = add_phase(run, 1)
    attempt(phase, "buy", *rewards, outcome=outcome)
    other = TaskFactory(template_key="buy", split="train")
    attempt(phase, "buy", None, task=other)

    (row,) = look(researcher, run)["rows"]

    (cell,) = row.cells
    assert researcher.get(cell.url).context["page"].count == cell.tally.n == 2
