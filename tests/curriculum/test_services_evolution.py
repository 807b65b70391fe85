"""What a run evolves depends on itself alone, whoever else runs."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum.errors import GeneratorError
from curriculum.evolution.openai_generator import GeneratorFailed
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
