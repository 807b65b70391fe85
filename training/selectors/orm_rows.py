"""Which episodes a reward model learns from: verdicts, outcomes, its own sure ones.

Episodes of test tasks, and of tasks that resemble one, are never among them. Whether a
task is held out depends only on the task, so that no later reward model learns from it
either.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import defaultdict
from collections.abc import Collection

from django.db.models import Q, QuerySet

from curriculum.models import Task
from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.judges import list_people_say
from rollouts.selectors.verdicts import standing_verdicts
from training.models import OrmExample, OrmTraining
from training.rl.orm.config import OrmConfig

# P(YES) of the model's own verdicts that count as sure.
SURE_NO, SURE_YES = 0.1, 0.9
# How many of the newest episodes with an evaluators' outcome one training takes.
MAX_EVALUATED = 1000
# Sources that overrule the model itself.
TAUGHT = (OrmExample.Source.PEOPLE, OrmExample.Source.EVALUATORS)


@dataclasses.dataclass(frozen=True, slots=True)
class Chosen:
    """One episode with the right verdict."""

    trajectory_id: int
    site: str
    is_success: bool
    source: str
    is_held_out: bool


def choose_examples(
    base_uri: str, config: OrmConfig, run_id: int | None = None
) -> list[Chosen]:
    """Return episodes that people judged (in one run, or in all), then rehearsal.

    If the settings say so, episodes that only evaluators judged come between the two.
    """
    taught = _choose_judged(config, run_id)
    if config.learn_from_evaluators:
        taught += _choose_evaluated(base_uri, config, taught)
    learnt = sum(not one.is_held_out for one in taught)
    limit = int(config.rehearsal * learnt)
    return taught + _choose_own(base_uri, config, limit, taught)


def _list_scored(base_uri: str) -> QuerySet[Trajectory]:
    return Trajectory.objects.filter(
        phase__orm_uri=base_uri,
        purpose=Trajectory.Purpose.COLLECT,
        status=Trajectory.Status.FINISHED,
        step_count__gt=0,
    )


def _exclude_tests(rows: QuerySet[Trajectory]) -> QuerySet[Trajectory]:
    """Leave out test tasks and those that were found to resemble one."""
    rows = rows.exclude(task__split=Task.Split.TEST)
    return rows.exclude(task__status=Task.Status.FILTERED)


def _choose_judged(config: OrmConfig, run_id: int | None) -> list[Chosen]:
    said = {one.trajectory_id: one.is_success for one in list_people_say(run_id)}
    rows = _exclude_tests(Trajectory.objects.filter(pk__in=said))
    found = rows.order_by("pk").values_list("pk", "task__key", "task__site__key")
    return [
        Chosen(
            pk,
            site,
            said[pk],
            OrmExample.Source.PEOPLE,
            is_held_out(key, config.held_out),
        )
        for pk, key, site in found
    ]


def _choose_evaluated(
    base_uri: str, config: OrmConfig, people: Collection[Chosen]
) -> list[Chosen]:
    """Return the newest training episodes that the model scored and evaluators judged.

    Episodes that people judged are left out: people overrule the evaluators.
    """
    known = {one.trajectory_id for one in people}
    rows = _exclude_tests(_list_scored(base_uri)).filter(outcome__isnull=False)
    fields = ("pk", "task__key", "task__site__key", "outcome")
    newest = rows.order_by("-pk").values_list(*fields)[: MAX_EVALUATED + len(known)]
    source = OrmExample.Source.EVALUATORS
    found = [
        Chosen(pk, site, bool(outcome), source, is_held_out(key, config.held_out))
        for pk, key, site, outcome in newest
        if pk not in known
    ]
    return found[:MAX_EVALUATED]


def _choose_own(
    base_uri: str, config: OrmConfig, limit: int, people: Collection[Chosen]
) -> list[Chosen]:
    """Return the newest episodes of which the model itself was sure, up to a limit.

    People have not judged them, and their tasks are not held out.
    """
    is_sure = Q(success_probability__lte=SURE_NO) | Q(success_probability__gte=SURE_YES)
    rows = _exclude_tests(_list_scored(base_uri)).filter(is_sure)
    known = {one.trajectory_id for one in people}
    fields = ("pk", "task__key", "task__site__key", "success_probability")
    found: list[Chosen] = []
    for pk, key, site, chance in rows.order_by("-pk").values_list(*fields).iterator():
        if len(found) >= limit:
            break
        if pk not in known and not is_held_out(key, config.held_out):
            own = OrmExample.Source.OWN
            found.append(Chosen(pk, site, chance > SURE_NO, own, False))
    return found


def is_held_out(task_key: str, share: float) -> bool:
    """Return whether a task is used only to measure; the answer never changes."""
    digest = hashlib.sha256(f"held out: {task_key}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def map_verdicts(trajectory_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the ids of the valid verdicts by episode; the unsure are left out."""
    rows = standing_verdicts(trajectory_ids).exclude(
        verdict=HumanVerdict.Verdict.UNCLEAR
    )
    found: defaultdict[int, list[int]] = defaultdict(list)
    for pk, trajectory_id in rows.values_list("pk", "trajectory_id"):
        found[trajectory_id].append(pk)
    return dict(found)


def has_news(base_uri: str, chosen: Collection[Chosen]) -> bool:
    """Return whether there are examples from which the base has not learnt yet."""
    training = OrmTraining.objects.filter(checkpoint__uri=base_uri).first()
    if training is None:
        return True
    known = set(
        training.examples.filter(source__in=TAUGHT).values_list(
            "trajectory_id", "is_success"
        )
    )
    return any(
        (one.trajectory_id, one.is_success) not in known
        for one in chosen
        if one.source in TAUGHT
    )
