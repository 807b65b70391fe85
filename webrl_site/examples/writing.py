"""Writes an example: runs with phases, episodes, trainings, reviews. All made up.

The same scale and seed write the same rows, except for their times.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

from django.db import transaction
from django.utils import timezone

from curriculum.errors import WorkbenchError
from curriculum.events import EpisodeEvent
from curriculum.models import Phase, PhaseEvent, Run, Task
from rollouts.artifact_store import store_page
from rollouts.models import Trajectory
from webrl_site.examples import recorded_pages as pages
from webrl_site.examples.curriculum_rows import CurriculumWriter
from webrl_site.examples.episodes import EpisodeWriter
from webrl_site.examples.people import make_people
from webrl_site.examples.scale import Scale
from webrl_site.examples.training_rows import write_training
from webrl_site.runs.config import preset
from webrl_site.sites.sandbox import load_sandbox

Purpose = Trajectory.Purpose
PREFIX = "example"
FIRST_RATE, LAST_RATE = 0.2, 0.45


class ExampleError(WorkbenchError):
    """The example would be mixed with real runs."""


def write_example(
    scale: Scale, *, seed: int = 7, told: Callable[[int, int], None] | None = None
) -> None:
    """Fill a database that has no runs; `told(done, total)` is called for each phase.

    Raises:
        ExampleError: There are runs already.
    """
    if Run.objects.exists():
        raise ExampleError(
            "This database has runs, and example rows would stand among them. Choose "
            "another one: WEBRL_DATA_DIR=/some/empty/folder, or DATABASE_URL."
        )
    load_sandbox()
    writer = _Writer(scale, Random(seed))
    total = scale.runs * scale.phases
    for number in range(total):
        with transaction.atomic():
            writer.write_phase(number // scale.phases, number % scale.phases + 1)
        if told is not None:
            told(number + 1, total)


class _Writer:
    def __init__(self, scale: Scale, rng: Random) -> None:
        self._scale, self._random = scale, rng
        name, price = pages.PRODUCTS[0]
        recorded = (
            pages.front_page(),
            pages.front_page("mug"),
            pages.product_page(name, price),
            pages.cart_page(name, price),
        )
        snapshots = [store_page(html) for html in recorded]
        self._people = make_people()
        self._episodes = EpisodeWriter(rng, snapshots, scale.steps)
        self._curriculum = CurriculumWriter(rng, self._people)
        tasks = Task.objects.select_related("site").exclude(site__key="miniwob")
        self._train = list(tasks.filter(split=Task.Split.TRAIN))
        self._test = _spread(list(tasks.filter(split=Task.Split.TEST)), scale.evaluated)

    def write_phase(self, run_index: int, number: int) -> None:
        """Write one phase; a run's first one begins the run."""
        run = self._run(run_index)
        is_newest = run_index == self._scale.runs - 1 and number == self._scale.phases
        phase = self._phase(run, number, is_newest)
        tasks = self._choose_tasks(run)
        phase.tasks.set(tasks)
        span = max(self._scale.phases - 1, 1)
        rate = FIRST_RATE + (LAST_RATE - FIRST_RATE) * (number - 1) / span
        if number == 1:
            self._episodes.write(phase, self._test, Purpose.BASELINE, FIRST_RATE)
        self._episodes.write(phase, tasks, Purpose.COLLECT, rate)
        write_training(phase, self._random, self._scale.metric_steps)
        self._episodes.write(phase, self._test, Purpose.EVALUATE, rate + 0.05)
        lost = Trajectory.objects.filter(phase=phase, purpose=Purpose.COLLECT, reward=0)
        failed = [row.task for row in lost.select_related("task__site")]
        self._curriculum.evolve(phase, failed, self._scale.evolved)
        self._write_events(phase)

    def _choose_tasks(self, run: Run) -> list[Task]:
        """Return the tasks that the run has evolved so far, filled up with seeds."""
        evolved = Task.objects.filter(born_in__run=run, status=Task.Status.ACCEPTED)
        newest = list(evolved.order_by("-pk")[: self._scale.collected // 2])
        seeds = self._random.sample(self._train, self._scale.collected - len(newest))
        return newest + seeds

    def _run(self, index: int) -> Run:
        run, _ = Run.objects.get_or_create(
            name=f"{PREFIX}-{index + 1}",
            defaults={
                "config": preset("starter").to_json(),
                "seed": index,
                "notes": "Made up by ./webrl seed.",
                "policy_uri": "starter/policy",
                "critic_uri": "starter/critic",
                "orm_uri": "starter/orm",
                "created_by": self._people[0],
            },
        )
        return run

    def _phase(self, run: Run, number: int, is_newest: bool) -> Phase:
        before = Phase.objects.filter(run=run, number=number - 1).first()
        ended = timezone.now() - dt.timedelta(hours=6 * (self._scale.phases - number))
        phase = Phase.objects.create(
            run=run,
            number=number,
            status=Phase.Status.REVIEW if is_newest else Phase.Status.CLOSED,
            policy_uri=before.next_policy_uri if before else run.policy_uri,
            critic_uri=before.next_critic_uri if before else run.critic_uri,
            orm_uri=run.orm_uri,
            created_by=run.created_by,
            stage_started_at=ended - dt.timedelta(hours=1),
            ended_at=None if is_newest else ended,
        )
        # Rows are dated when they are written; a phase is opened before it ends.
        opened = ended - dt.timedelta(hours=5)
        Phase.objects.filter(pk=phase.pk).update(created_at=opened)
        Run.objects.filter(pk=run.pk, created_at__gt=opened).update(created_at=opened)
        return phase

    def _write_events(self, phase: Phase) -> None:
        episodes = phase.trajectories.values_list("pk", "outcome")
        PhaseEvent.objects.bulk_create(
            PhaseEvent(
                phase=phase,
                kind=EpisodeEvent.kind,
                data=EpisodeEvent(trajectory_id=pk, outcome=outcome).to_json(),
            )
            for pk, outcome in episodes
        )


def _spread(tasks: list[Task], count: int) -> list[Task]:
    """Return `count` of them, spread over the list and thus over all sites."""
    return tasks[:: max(1, len(tasks) // count)][:count]
