"""The checks of a task follow its words."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum import services
from curriculum.models import Phase, Review, Task
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.reading import read_task
from tests.factories import EvolvedTaskFactory, PhaseFactory, SiteFactory

pytestmark = pytest.mark.django_db
SITES = ["backoffice"]
STATUS = "backoffice.find_order_status"
UNREADABLE = "Tell me something nice."


def find_asked(status: str) -> str:
    """One of the catalog's questions for an order's status, by the right answer."""
    return next(
        str(one["intent"])
        for one in load_tasks()
        if one["template_key"] == STATUS
        and one["eval"]["reference_answers"]["exact_match"] == status
    )


def read(instruction: str) -> dict[str, Any]:
    spec = read_task(SITES, instruction)
    assert spec is not None
    return spec


@pytest.fixture
def task() -> Task:
    """A task of the sandbox with the checks of its words, in review."""
    spec = read(find_asked("Complete"))
    return EvolvedTaskFactory(
        born_in=PhaseFactory(status=Phase.Status.REVIEW),
        site=SiteFactory(key="backoffice"),
        instruction=spec["intent"],
        start_url=spec["start_url"],
        template_key=spec["template_key"],
        optimal_steps=spec["optimal_steps"],
        spec=spec,
    )


def edit(task: Task, reviewer: Any, words: str) -> Review:
    """Accept the task in other words, and read it anew."""
    claimed = services.claim_review(reviewer=reviewer, phase_id=task.born_in_id)
    assert claimed is not None
    review = services.decide_review(
        task_id=claimed.pk,
        token=claimed.lease_token,
        reviewer=reviewer,
        decision=services.Decision("edit", words),
    )
    task.refresh_from_db()
    return review


def test_an_edited_task_is_checked_for_what_it_asks_now(task: Task, ann: Any) -> None:
    before, after = read(task.instruction), read(find_asked("Processing"))
    edit(task, ann, after["intent"])

    assert after["eval"] != before["eval"]
    assert task.spec["eval"] == after["eval"]
    assert task.spec["instantiation_dict"] == after["instantiation_dict"]
    assert task.spec["intent"] == task.instruction == after["intent"]


def test_a_task_whose_new_words_nobody_can_read_has_no_checks(
    task: Task, ann: Any
) -> None:
    edit(task, ann, UNREADABLE)

    assert (task.spec["eval"], task.spec["instantiation_dict"]) == ({}, {})
    assert task.optimal_steps is None
    assert task.template_key == STATUS


@pytest.mark.parametrize("words", [UNREADABLE, find_asked("Processing")])
def test_undo_brings_the_first_checks_back(task: Task, ann: Any, words: str) -> None:
    first = task.spec
    review = edit(task, ann, words)
    services.undo_review(review_id=review.pk, reviewer=ann)

    task.refresh_from_db()
    assert task.spec == first
    assert task.optimal_steps == first["optimal_steps"]


def test_a_task_without_checks_gets_none(task: Task, ann: Any) -> None:
    Task.objects.update(spec={"sites": SITES, "intent": task.instruction, "eval": {}})
    edit(task, ann, find_asked("Processing"))

    assert task.spec == {"sites": SITES, "intent": find_asked("Processing"), "eval": {}}
