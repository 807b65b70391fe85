"""Who may decide which tasks, and what was decided so far."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from curriculum.models import FirstLook, Phase, Review, Task
from curriculum.phase_config import ReviewConfig


def read_review_config(phase: Phase | None) -> ReviewConfig:
    """Return how the phase's run reviews; `phase` comes with its run."""
    given: dict[str, Any] = phase.run.config.get("review", {}) if phase else {}
    return ReviewConfig(**given)


def standing_votes() -> QuerySet[Review]:
    """Return people's own decisions that count: neither skipped nor taken back."""
    return Review.objects.filter(kind=Review.Kind.REVIEW, undone_at=None).exclude(
        decision=Review.Decision.SKIP
    )


def tasks_in_review(phase_id: int | None = None) -> QuerySet[Task]:
    """Return what waits for people's decisions, in all phases or in one."""
    tasks = Task.objects.filter(
        status=Task.Status.SHORTLISTED, born_in__status=Phase.Status.REVIEW
    )
    return tasks.filter(born_in_id=phase_id) if phase_id else tasks


def tasks_waiting_for(reviewer_id: int, phase_id: int | None = None) -> QuerySet[Task]:
    """Return what waits and this person has not decided yet."""
    mine = standing_votes().filter(task=OuterRef("pk"), reviewer_id=reviewer_id)
    return tasks_in_review(phase_id).filter(~Exists(mine))


def find_first_look(task_id: int, reviewer_id: int) -> str | None:
    """Return what a person decided before they saw the machine's opinion."""
    looks = FirstLook.objects.filter(task_id=task_id, reviewer_id=reviewer_id)
    return looks.values_list("decision", flat=True).first()


def count_changes(phase_id: int | None = None) -> tuple[int, int]:
    """Return how many turned round after they saw the opinion, and of how many."""
    looked = standing_votes().exclude(first_decision="")
    if phase_id:
        looked = looked.filter(task__born_in_id=phase_id)
    rejects = Review.Decision.REJECT
    turned = Q(first_decision=rejects) ^ Q(decision=rejects)
    counts = looked.aggregate(n=Count("pk"), turned=Count("pk", filter=turned))
    return counts["turned"], counts["n"]


def list_disputes() -> QuerySet[Task]:
    """Return the tasks whose reviewers disagree, newest first."""
    disputes = Task.objects.filter(
        status=Task.Status.DISPUTED, born_in__status=Phase.Status.REVIEW
    )
    return disputes.select_related("site", "born_in__run").order_by("-id")


def list_votes(task: Task) -> list[Review]:
    """Return the decisions about a task that count, oldest first."""
    votes = standing_votes().filter(task=task).select_related("reviewer")
    return list(votes.order_by("id"))


def list_shared_votes(phase_id: int | None = None) -> list[tuple[int, str, str]]:
    """Return (task id, person, decision) of the tasks that several people decided."""
    votes = standing_votes()
    if phase_id:
        votes = votes.filter(task__born_in_id=phase_id)
    shared = votes.values("task_id").annotate(people=Count("pk")).filter(people__gt=1)
    rows = votes.filter(task_id__in=shared.order_by().values("task_id"))
    return list(
        rows.order_by("task_id", "reviewer_id").values_list(
            "task_id", "reviewer__username", "decision"
        )
    )
