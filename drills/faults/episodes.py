"""Episodes to collect, and checks that each ended exactly once and is complete."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator

from django.db import transaction

from curriculum.evolution.types import digest_task
from curriculum.models import Phase, Run, Site, Task
from rollouts.models import Step, Trajectory
from rollouts.services import queue_episodes
from webrl_site.runs.config import RunConfig

WEIGHTS = {f"{kind}_uri": f"starter/{kind}" for kind in ("policy", "critic", "orm")}


@transaction.atomic
def open_collecting(count: int) -> Phase:
    """Write a phase that collects a number of episodes, one for each task.

    A sweep must not see the phase without its episodes: it would count as done.
    """
    mark = secrets.token_hex(4)
    site, _ = Site.objects.get_or_create(
        key="shop", defaults={"name": "Shop", "placeholder": "__SHOP__"}
    )
    tasks = Task.objects.bulk_create(_make(site, mark, n) for n in range(count))
    config = RunConfig.parse({"rollout": {"contexts": 8, "step_limit": 8}}).to_json()
    run = Run.objects.create(name=f"drill-{mark}", config=config, seed=1, **WEIGHTS)
    status = Phase.Status.COLLECTING
    phase = Phase.objects.create(run=run, number=1, status=status, **WEIGHTS)
    phase.tasks.set(tasks)
    queue_episodes(phase=phase, purpose=Trajectory.Purpose.COLLECT)
    return phase


def _make(site: Site, mark: str, number: int) -> Task:
    text = f"Put {number} blue mugs of lot {mark} into the cart"
    return Task(
        key=f"drill.{mark}.{number}",
        site=site,
        instruction=text,
        start_url="__SHOP__/",
        spec={"sites": ["shop"]},
        digest=digest_task(text, "__SHOP__/"),
    )


def find_damage(phase_id: int, count: int) -> list[str]:
    """Return the episodes that are lost, doubled or incomplete."""
    rows = list(Trajectory.objects.filter(phase_id=phase_id))
    found = [] if len(rows) == count else [f"{len(rows)} episodes, not {count}"]
    steps = Step.objects.filter(trajectory__phase_id=phase_id).order_by(
        "trajectory_id", "attempt", "index"
    )
    columns = steps.values_list("trajectory_id", "attempt", "index")
    by_attempt = {
        key: [index for _, _, index in group]
        for key, group in itertools.groupby(columns, key=lambda row: row[:2])
    }
    return found + list(_damage_of_rows(rows, by_attempt))


def _damage_of_rows(
    rows: list[Trajectory], steps: dict[tuple[int, int], list[int]]
) -> Iterator[str]:
    for row in rows:
        indices = steps.get((row.pk, row.attempt), [])
        if row.status != "finished" or row.outcome is None:
            yield f"episode {row.pk} is {row.status} ({row.failure_reason})"
        elif indices != list(range(row.step_count)) or not indices:
            yield f"episode {row.pk} has steps {indices}, not {row.step_count}"
