"""What a run evolves depends on itself alone, whoever else runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from curriculum.errors import EndpointDown, GeneratorError
from curriculum.evolution.openai_generator import (
    GeneratorFailed,
    GeneratorUnavailable,
    NoTasks,
)
from curriculum.evolution.types import Feasibility, ProposedTask, SeedTask
from curriculum.models import Phase, Task
from curriculum.selectors.pools import usable_tasks
from curriculum.services.evolution import evolve_phase
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    RunFactory,
    SiteFactory,
    TaskFactory,
)
from tests.fakes import CannedGenerator
from webrl_site.loop import wakeups

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed() -> list[int]:
    site = SiteFactory()
    return [task.pk for task in TaskFactory.create_batch(3, site=site, split="train")]


def evolve(phase: Phase, failed: list[int]) -> dict[str, str]:
    """Return what evolved, and why it was left out."""
    evolve_phase(phase_id=phase.pk, seed_task_ids=failed, owner="here")
    rows = Task.objects.filter(born_in=phase).order_by("pk")
    return dict(rows.values_list("instruction", "filter_reason"))


def test_what_another_run_evolved_is_no_duplicate(failed: list[int]):
    one = evolve(PhaseFactory(status="evolving"), failed)
    other = evolve(PhaseFactory(status="evolving", run=RunFactory()), failed)
    assert one == other
    assert "" in other.values()


def test_what_the_same_run_evolved_is_a_duplicate(failed: list[int]):
    other, run = PhaseFactory(status="evolving"), RunFactory()
    first = PhaseFactory(run=run, number=1, status="evolving")
    before = evolve(other, failed)
    later = PhaseFactory(run=run, number=2, status="closed")
    Task.objects.filter(born_in=other).update(born_in=later)
    after = evolve(first, failed)
    assert set(after) == set(before)
    assert set(after.values()) == {"The same as an existing task"}


def test_what_evolved_is_in_no_other_runs_pool():
    EvolvedTaskFactory(status="accepted")
    seed = TaskFactory(status="accepted")
    assert seed in usable_tasks(RunFactory(), "train")
    assert not usable_tasks(RunFactory(), "train").filter(origin="evolved").exists()


def test_a_proposal_that_resembles_a_test_task_is_filtered_out(failed: list[int]):
    free = evolve(PhaseFactory(status="evolving"), failed)
    wanted = next(text for text, reason in free.items() if not reason)
    site = Task.objects.get(pk=failed[0]).site
    TaskFactory(site=site, split="test", key="held.1", instruction=f"Please {wanted}.")

    again = evolve(PhaseFactory(status="evolving", run=RunFactory()), failed)

    assert again[wanted] == f"Resembles the test task held.1: Please {wanted}."


class Mute(CannedGenerator):
    """Writes nothing that can be read."""

    def propose(self, *seeds: Any, **wishes: Any) -> list[Any]:
        raise GeneratorFailed("No answer holds a task.")


def test_a_generator_without_any_task_is_an_error_that_a_person_reads(
    failed: list[int], settings: Any
):
    settings.TASK_GENERATOR = f"{__name__}.Mute"

    with pytest.raises(GeneratorError, match="No answer holds a task") as caught:
        evolve(PhaseFactory(status="evolving"), failed)
    assert caught.value.message == "No answer holds a task."


class Failing(CannedGenerator):
    """Its endpoint stops to answer after some calls, which are counted."""

    asked = 0
    verdicts = 0
    # Verdicts until the outage; None for no outage.
    until: int | None = 2

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        Failing.asked += 1
        return super().propose(seeds, count=count, seed=seed)

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        if self.until is not None and Failing.verdicts >= self.until:
            raise GeneratorUnavailable("No answer.")
        Failing.verdicts += 1
        return super().judge_feasibility(task)


@pytest.fixture
def failing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> type[Failing]:
    for name, value in (("asked", 0), ("verdicts", 0), ("until", 2)):
        monkeypatch.setattr(Failing, name, value)
    settings.TASK_GENERATOR = f"{__name__}.Failing"
    return Failing


def test_what_was_proposed_and_judged_before_an_outage_is_not_asked_again(
    failed: list[int], failing: type[Failing]
):
    undisturbed = PhaseFactory(status="evolving", run=RunFactory())
    phase = PhaseFactory(status="evolving", run=RunFactory())
    with pytest.raises(EndpointDown):
        evolve(phase, failed)
    failing.until = None
    after = evolve(phase, failed)

    judged = Task.objects.filter(born_in=phase, is_feasible__isnull=False).count()
    assert failing.asked == 1
    assert failing.verdicts == judged
    assert after == evolve(undisturbed, failed)


def test_a_phase_whose_proposals_are_not_judged_goes_on_with_that(
    failed: list[int], failing: type[Failing]
):
    phase = PhaseFactory(status="evolving")
    with pytest.raises(EndpointDown):
        evolve(phase, failed)
    failing.until = None

    phase.refresh_from_db()
    assert wakeups.find_job(phase).task == "curriculum.tasks.evolve"

    evolve(phase, failed)
    phase.refresh_from_db()
    assert wakeups.find_job(phase).task == "training.tasks.estimate_values"


def test_the_history_says_once_how_many_were_proposed(
    failed: list[int], failing: type[Failing]
):
    phase = PhaseFactory(status="evolving")
    with pytest.raises(EndpointDown):
        evolve(phase, failed)
    failing.until = None
    for _ in range(2):
        evolve(phase, failed)

    assert phase.events.filter(data__code="proposed").count() == 1


class InParts(Failing):
    """Answers with two tasks at a time, and cannot be reached for the third answer."""

    until = None
    answers = 0

    def propose_in_parts(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> Iterator[list[ProposedTask]]:
        for start in range(0, count, 2):
            InParts.answers += 1
            if InParts.answers == 3:
                raise GeneratorUnavailable("No answer.")
            size = min(2, count - start)
            yield self.propose(seeds, count=size, seed=seed + start)


def test_answers_before_an_outage_are_kept_and_the_rest_is_asked_for(
    failed: list[int], settings: Any, monkeypatch: pytest.MonkeyPatch
):
    settings.TASK_GENERATOR = f"{__name__}.InParts"
    monkeypatch.setattr(InParts, "answers", 0)
    run = RunFactory(config={"curriculum": {"proposals_per_phase": 9}})
    phase = PhaseFactory(status="evolving", run=run)
    with pytest.raises(EndpointDown):
        evolve(phase, failed)
    before = set(Task.objects.filter(born_in=phase).values_list("pk", flat=True))

    after = evolve(phase, failed)

    assert len(before) == 4
    assert len(after) == 9
    assert InParts.answers == 3 + 3


class Shy(InParts):
    """Writes nothing more after an outage."""

    def propose_in_parts(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> Iterator[list[ProposedTask]]:
        if InParts.answers:
            raise NoTasks("No answer holds a task.")
        yield from super().propose_in_parts(seeds, count=count, seed=seed)


def test_a_generator_that_has_no_more_tasks_does_not_fail_the_phase(
    failed: list[int], settings: Any, monkeypatch: pytest.MonkeyPatch
):
    settings.TASK_GENERATOR = f"{__name__}.Shy"
    monkeypatch.setattr(InParts, "answers", 0)
    phase = PhaseFactory(status="evolving")
    with pytest.raises(EndpointDown):
        evolve(phase, failed)

    assert len(evolve(phase, failed)) == 4
    phase.refresh_from_db()
    assert phase.evolved_at is not None


class Careless(CannedGenerator):
    """Writes what no database stores, and more than its columns hold."""

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        odd, long, plain = super().propose(seeds, count=3, seed=seed)
        far = "__SHOP__/" * 999
        return [
            dataclasses.replace(odd, instruction="Find\x00 a \ud800 lamp"),
            dataclasses.replace(long, start_url=far, template_key="t" * 99),
            plain,
        ]

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        return Feasibility(False, "There is\x00 none")


def test_a_careless_generators_texts_can_be_stored_in_any_database(
    failed: list[int], settings: Any
):
    settings.TASK_GENERATOR = f"{__name__}.Careless"
    phase = PhaseFactory(status="evolving")

    found = evolve(phase, failed)

    rows = list(Task.objects.filter(born_in=phase))
    assert "Find  a ? lamp" in found
    assert len(rows) == 3
    for row in rows:
        row.clean_fields(exclude=["parent", "born_in", "template_key", "optimal_steps"])
        assert len(row.template_key) <= 80
        assert "\x00" not in f"{row.feasibility_reason}{row.filter_reason}"
