"""Example tasks that evolved from a phase's failures, and their reviews."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from random import Random

from django.contrib.auth.models import User
from django.utils import timezone

from curriculum.evolution.types import ProposedTask, SeedTask, digest_task
from curriculum.models import Phase, Review, Site, Task
from rollouts.sites.sandbox.generator import GrammarGenerator

FATES = (
    *[Task.Status.ACCEPTED] * 9,
    *[Task.Status.REJECTED] * 3,
    *[Task.Status.FILTERED] * 8,
)


class CurriculumWriter:
    """Evolves tasks as the sandbox's generator does, and decides about them."""

    def __init__(self, rng: Random, people: Sequence[User]) -> None:
        """`people` take turns in reviewing."""
        self._random = rng
        self._people = people
        self._generator = GrammarGenerator()
        self._sites = {site.key: site for site in Site.objects.all()}
        self._taken: set[str] = set()

    def evolve(self, phase: Phase, failed: Sequence[Task], count: int) -> None:
        """Write tasks that grew from failed ones; all wait where the phase reviews."""
        proposed = self._generator.propose(
            [_seed_of(task) for task in failed],
            count=count,
            seed=self._random.randrange(2**32),
        )
        rows = [self._task(phase, task) for task in proposed]
        fresh = [row for row in rows if row.key not in self._taken]
        self._taken |= {row.key for row in fresh}
        made = Task.objects.bulk_create(fresh)
        Review.objects.bulk_create(
            self._review(task)
            for task in made
            if task.status in (Task.Status.ACCEPTED, Task.Status.REJECTED)
        )

    def _task(self, phase: Phase, proposed: ProposedTask) -> Task:
        rng = self._random
        status = rng.choice(FATES)
        if phase.status == Phase.Status.REVIEW and status != Task.Status.FILTERED:
            status = Task.Status.SHORTLISTED
        is_filtered = status == Task.Status.FILTERED
        digest = digest_task(proposed.instruction, proposed.start_url)
        return Task(
            key=f"evolved.{phase.pk}.{digest[:24]}",
            site=self._sites[proposed.site],
            instruction=proposed.instruction,
            start_url=proposed.start_url,
            spec=proposed.spec,
            template_key=proposed.template_key,
            origin=Task.Origin.EVOLVED,
            status=status,
            digest=digest,
            optimal_steps=proposed.optimal_steps,
            parent_id=proposed.parent_id,
            born_in=phase,
            value_estimate=round(
                rng.choice((rng.uniform(0, 0.05), rng.uniform(0.75, 1)))
                if is_filtered
                else rng.betavariate(2, 3) * 0.7 + 0.05,
                4,
            ),
            is_feasible=True,
            feasibility_reason="All it names exists.",
            filter_reason="outside the value band" if is_filtered else "",
        )

    def _review(self, task: Task) -> Review:
        rng = self._random
        is_rejected = task.status == Task.Status.REJECTED
        is_edit = not is_rejected and rng.random() < 0.2
        decision = Review.Decision.EDIT if is_edit else Review.Decision.ACCEPT
        return Review(
            task=task,
            reviewer=rng.choice(self._people),
            decision=Review.Decision.REJECT if is_rejected else decision,
            original_instruction=task.instruction,
            edited_instruction=f"Please {task.instruction}" if is_edit else "",
            reason=rng.choice(Review.Reason.values) if is_rejected else "",
            seconds_spent=round(rng.lognormvariate(2.3, 0.6), 1),
            created_at=timezone.now() - dt.timedelta(hours=rng.uniform(0, 500)),
        )


def _seed_of(task: Task) -> SeedTask:
    return SeedTask(
        task_id=task.pk,
        site=task.site.key,
        instruction=task.instruction,
        start_url=task.start_url,
        template_key=task.template_key,
        spec=task.spec,
    )
