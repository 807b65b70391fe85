"""How long the dashboard's pages take on the example of full size.

`./webrl seed --scale large` fills the database first. A signed-in researcher requests
every page through Django's own test client: routing, middleware, queries and
templates, without a network, in a process that begins as the web process does. The
reference is the sign-in page, the cheapest page here; ours is the 95th percentile,
which the bars limit.
"""

from __future__ import annotations

import dataclasses
import secrets
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from benchmarks.records import Record
from curriculum.access.roles import ROLE_RESEARCHER
from curriculum.models import Phase, Run, Task
from rollouts.models import Trajectory
from webrl_site.server.gc_freeze import freeze_start

ROUNDS = 25
MIN_EPISODES = 500


@dataclasses.dataclass(frozen=True, slots=True)
class Visit:
    """One page: its name, its address, and its time limit (ms)."""

    name: str
    url: str
    bar_ms: float = 150.0


def run() -> list[Record]:
    """Measure and return the records."""
    if Trajectory.objects.count() < MIN_EPISODES:
        raise SystemExit("Fill the database first: ./webrl seed --scale large")
    freeze_start()
    client = Client(SERVER_NAME=urlsplit(settings.DASHBOARD_URL).netloc)
    floor = _times(client, reverse("login"))
    person = User.objects.create_user(f"bench-{secrets.token_hex(4)}")
    try:
        person.groups.add(*_roles())
        client.force_login(person)
        return [_measure(client, visit, floor) for visit in _visits()]
    finally:
        person.delete()


def _roles() -> list[int]:
    return list(Group.objects.filter(name=ROLE_RESEARCHER).values_list("pk", flat=True))


def _measure(client: Client, visit: Visit, floor: list[float]) -> Record:
    asked: list[str] = []
    with connection.execute_wrapper(_counting(asked)):
        answer = client.get(visit.url)
    if answer.status_code != 200:
        raise RuntimeError(f"{visit.url} answered {answer.status_code}")
    times = _times(client, visit.url)
    name = f"{visit.name}, p95 (bar {visit.bar_ms:g} ms, {len(asked)} queries)"
    return Record(name, _p95(times), statistics.median(floor), "ms", len(times))


def _counting(asked: list[str]) -> Callable[..., Any]:
    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    return note


def _times(client: Client, url: str) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = client.get(url)
        if answer.streaming:
            b"".join(answer)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _visits() -> Iterator[Visit]:
    run = Run.objects.order_by("pk")[0]
    phase = Phase.objects.order_by("-pk")[0]
    middle = Trajectory.objects.order_by("pk")[Trajectory.objects.count() // 2]
    tasks, episodes = (
        reverse("curriculum:task_list"),
        reverse("rollouts:trajectory_list"),
    )
    oldest_task = Task.objects.order_by("pk")[60].pk
    yield Visit("home", reverse("home"))
    yield Visit("curriculum", tasks)
    yield Visit("curriculum, last page", f"{tasks}?before={oldest_task}")
    yield Visit(
        "curriculum, three filters", f"{tasks}?site=shop&status=accepted&split=train"
    )
    yield Visit("curriculum, a word", f"{tasks}?text=lamp")
    yield Visit("curriculum, a word that none has", f"{tasks}?text=zeppelin")
    yield Visit("curriculum, a phase", f"{tasks}?phase={phase.pk}")
    yield Visit("value band", reverse("curriculum:value_band"))
    yield Visit("task", reverse("task", args=[middle.task_id]))
    yield Visit("episodes", episodes)
    yield Visit("episodes, middle", f"{episodes}?before={middle.pk}")
    yield Visit("episodes, failed on a site", f"{episodes}?site=forum&outcome=no")
    yield Visit("episodes, a word", f"{episodes}?text=lamp")
    yield Visit("episodes, a phase's", f"{episodes}?phase={phase.pk}&purpose=evaluate")
    yield Visit("episodes, verdicts differ", f"{episodes}?outcome=no&reward=yes")
    yield Visit("replay", reverse("replay", args=[middle.pk]), 300.0)
    yield Visit("runs", reverse("run_list"))
    yield Visit("run", reverse("run", args=[run.pk]))
    yield Visit("phase", reverse("phase", args=[phase.pk]))
    yield Visit("charts", reverse("charts"), 300.0)
    several = "&".join(
        f"run={pk}" for pk in Run.objects.values_list("pk", flat=True)[:6]
    )
    yield Visit("charts of six runs", f"{reverse('charts')}?{several}", 300.0)
    yield Visit("judges", f"{reverse('judges')}?run={run.pk}")
    yield Visit("review desk", reverse("review"))
