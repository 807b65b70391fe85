"""Recorded episodes for rescoring, with addresses filled in and the page loaded."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from curriculum.phase_config import RolloutConfig
from curriculum.selectors.pools import list_instances
from curriculum.texts.sentences import restore
from rollouts.artifact_store import load_page
from rollouts.artifacts import ArtifactError
from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.hosting.hosts import OpenSites, locate_task
from rollouts.browser.scoring.early_stops import early_stop_answer
from rollouts.browser.scoring.rescoring import StoredEpisode
from rollouts.browser.types import CheckResult, TaskSpec
from rollouts.models import Trajectory

_SANDBOX = re.compile(r"(https?)://[a-z0-9-]+\.([0-9a-f]+)\.localhost(:\d+)?(?:/|\Z)")


def stored_episodes(phase_id: int, purpose: str) -> QuerySet[Trajectory]:
    """Return a phase's finished episodes of one purpose."""
    rows = Trajectory.objects.filter(
        phase_id=phase_id, purpose=purpose, status=Trajectory.Status.FINISHED
    )
    return rows.select_related("task__site", "phase__run").order_by("pk")


def read_check(stored: Mapping[str, Any]) -> CheckResult:
    """Return one of `outcome_checks`, its reason as a sentence where it has a code."""
    fields = {field.name for field in dataclasses.fields(CheckResult)}
    check = CheckResult(**{name: stored[name] for name in fields & set(stored)})
    return dataclasses.replace(check, why=restore(check.why, stored))


def load_episodes(rows: QuerySet[Trajectory]) -> Iterator[StoredEpisode]:
    """Yield each episode with its addresses and its last page."""
    instances = list_instances()
    for row in rows.iterator(chunk_size=200):
        yield StoredEpisode(
            trajectory_id=row.pk,
            key=row.task.key,
            spec=_locate(row, instances),
            answer=row.answer,
            url=row.final_url,
            load_page=functools.partial(_load_page, row.final_snapshot),
            outcome=row.outcome,
            checks=tuple(read_check(check) for check in row.outcome_checks),
            has_exited=row.ended_by == Trajectory.EndedBy.EXIT,
            stop=_stop_answer(row),
        )


def _stop_answer(row: Trajectory) -> str:
    """The answer that the published runner would have written."""
    config = RolloutConfig(**row.phase.run.config.get("rollout", {}))
    limits = EpisodeLimits(
        steps=row.step_count,
        repeated=config.repeated_limit,
        typed=config.typing_limit,
        invalid=config.invalid_limit,
    )
    return early_stop_answer(row.ended_by, limits, last_action=_last_action(row))


def _last_action(row: Trajectory) -> str:
    """Return its name, where the answer depends on it; else ""."""
    if row.ended_by != Trajectory.EndedBy.REPEATED:
        return ""
    last = row.steps.filter(attempt=row.attempt).order_by("index").last()
    return str(last.action.get("name", "")) if last else ""


def _locate(
    row: Trajectory, instances: Mapping[str, Mapping[int, str]]
) -> dict[str, Any]:
    """Put the episode's addresses in place of the placeholders."""
    sites = tuple(row.task.spec.get("sites") or [row.task.site.key])
    chosen = {site: row.site_instances.get(site, 1) for site in sites}
    origins = {
        site: instances[site].get(number, instances[site][1])
        for site, number in chosen.items()
        if site in instances
    }
    match = _SANDBOX.match(row.final_url)
    if match:
        scheme, token, port = match[1], match[2], match[3] or ""
        for site in sites:
            origins.setdefault(site, f"{scheme}://{site}.{token}.localhost{port}")
    task = TaskSpec(row.task_id, "", row.task.start_url, sites, row.task.spec)
    return locate_task(task, OpenSites("", origins)).spec


def _load_page(digest: str) -> str:
    if not digest:
        return ""
    try:
        return load_page(digest)
    except ArtifactError:
        return ""
