"""Gauges computed from the rows when a monitor asks: work, phases and workers."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from curriculum.models import Phase, Task
from rollouts.models import STAGE_PURPOSES, Trajectory
from webrl_site.metrics.http_times import REGISTRY
from webrl_site.server.workers import count_alive, list_workers, read_sweep


class Workbench(Collector):
    """Queries the database each time; keeps nothing."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges.

        Raises:
            DatabaseError: The database does not answer.
        """
        yield _family("webrl_queue_depth", "Work that waits.", "queue", count_waiting())
        yield _family(
            "webrl_episodes",
            "Episodes by state.",
            "state",
            _count(Trajectory.objects.all(), Trajectory.Status.values),
        )
        yield _family(
            "webrl_phases",
            "Phases by state.",
            "state",
            _count(Phase.objects.all(), Phase.Status.values),
        )
        yield _family(
            "webrl_workers_alive",
            "Workers with a recent heartbeat.",
            "queue",
            count_alive(),
        )
        yield _last_seen()
        yield from _machine()


REGISTRY.register(Workbench())


def count_waiting() -> dict[str, int]:
    """Return queued episodes of phases that collect, and tasks without a decision."""
    queued = Trajectory.objects.filter(
        status=Trajectory.Status.QUEUED, phase__status__in=tuple(STAGE_PURPOSES)
    )
    tasks = Task.objects.filter(
        status__in=Task.UNDECIDED, born_in__status=Phase.Status.REVIEW
    )
    return {"episodes": queued.count(), "reviews": tasks.count()}


def _count(
    rows: QuerySet[Trajectory] | QuerySet[Phase], states: Iterable[str]
) -> dict[str, int]:
    found = rows.order_by().values_list("status").annotate(count=Count("pk"))
    return dict.fromkeys(states, 0) | dict(found)


def _family(
    name: str, text: str, label: str, values: Mapping[str, float]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, count in values.items():
        family.add_metric([value], count)
    return family


def _last_seen() -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "webrl_worker_silent_seconds",
        "Seconds since a worker's last heartbeat.",
        labels=["worker", "queues"],
    )
    now = timezone.now()
    for worker in list_workers():
        name = f"{worker.host}:{worker.pid}"
        silent = max(0.0, (now - worker.seen_at).total_seconds())
        family.add_metric([name, worker.queues.strip()], silent)
    return family


def _machine() -> Iterator[GaugeMetricFamily]:
    seconds = read_sweep().seconds
    if seconds is not None:
        yield GaugeMetricFamily(
            "webrl_sweep_age_seconds", "Seconds since the last sweep.", value=seconds
        )
    yield GaugeMetricFamily(
        "webrl_disk_free_bytes",
        "Free bytes where the workbench writes.",
        value=shutil.disk_usage(settings.DATA_DIR).free,
    )
