"""A phase in review with many tasks and people of its own, and checks of its rows."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.db.models import Count

from curriculum.access.roles import ROLE_ANNOTATOR, ensure_roles
from curriculum.evolution.types import digest_task
from curriculum.models import Phase, Review, Run, Task
from drills.web import open_session


@dataclasses.dataclass(frozen=True, slots=True)
class Desk:
    """Where the annotators work: a phase, and a session for each of them."""

    phase_id: int
    sessions: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Sent:
    """A decision that the server reported as accepted."""

    task_id: int
    text: str


@contextlib.contextmanager
def open_desk(people: int, tasks: int) -> Iterator[Desk]:
    """Write the rows; afterwards delete them and all rows that depend on them."""
    name = f"bench-desk-{secrets.token_hex(4)}"
    phase = _write_phase(name, tasks)
    annotators = _write_people(name, people)
    sessions = [open_session(person) for person in annotators]
    try:
        yield Desk(phase.pk, sessions)
    finally:
        Session.objects.filter(session_key__in=sessions).delete()
        Review.objects.filter(task__born_in=phase).delete()
        phase.run.delete()
        User.objects.filter(pk__in=[person.pk for person in annotators]).delete()


def _write_phase(name: str, count: int) -> Phase:
    weights = {f"{kind}_uri": f"starter/{kind}" for kind in ("policy", "critic", "orm")}
    run = Run.objects.create(name=name, **weights)
    phase = Phase.objects.create(
        run=run, number=1, status=Phase.Status.REVIEW, **weights
    )
    seeds = list(Task.objects.filter(split=Task.Split.TRAIN, born_in=None)[:500])
    Task.objects.bulk_create(
        _evolve(seeds[number % len(seeds)], phase, number) for number in range(count)
    )
    return phase


def _evolve(seed: Task, phase: Phase, number: int) -> Task:
    instruction = f"{seed.instruction} Then stop, {number}."
    return Task(
        key=f"evolved.{phase.pk}.{number}",
        site_id=seed.site_id,
        instruction=instruction,
        start_url=seed.start_url,
        spec={**seed.spec, "intent": instruction},
        template_key=seed.template_key,
        origin=Task.Origin.EVOLVED,
        status=Task.Status.SHORTLISTED,
        digest=digest_task(instruction, seed.start_url),
        parent_id=seed.pk,
        born_in=phase,
        value_estimate=0.4,
        is_feasible=True,
    )


def _write_people(name: str, count: int) -> list[User]:
    ensure_roles()
    people = [
        User(username=f"{name}-{number}", password="!" + secrets.token_hex(20))
        for number in range(count)
    ]
    made = User.objects.bulk_create(people)
    Group.objects.get(name=ROLE_ANNOTATOR).user_set.add(*made)
    return made


def count_doubled(phase_id: int) -> int:
    """Return how many tasks have more than one standing decision."""
    standing = Review.objects.filter(task__born_in_id=phase_id, undone_at=None)
    votes = standing.exclude(decision=Review.Decision.SKIP).order_by()
    return votes.values("task_id").annotate(n=Count("pk")).filter(n__gt=1).count()


def count_lost(phase_id: int, sent: Sequence[Sent]) -> int:
    """Return how many decisions the server accepted but did not store as sent."""
    rows = Review.objects.filter(task__born_in_id=phase_id, undone_at=None)
    kept = set(rows.values_list("task_id", "edited_instruction"))
    return sum((one.task_id, one.text) not in kept for one in sent)
