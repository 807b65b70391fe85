"""The condition of external sites' instances: shut, on trial, held, changed."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from curriculum.selectors.database_clock import database_now
from rollouts.models import SiteCondition, Trajectory
from rollouts.selectors.sites import is_due, sites_of

# A site's key and the instance's number; 1 is at the site's own address.
Instance = tuple[str, int]
HOLDER_FIELDS = ("pk", "task__site__key", "task__spec", "site_instances")
SHARES = "phase__run__config__rollout__share_sites"


@dataclasses.dataclass(frozen=True, slots=True)
class Holder:
    """A running episode and what it holds.

    Attributes:
        spec: Its task's object.
        instances: Those of external sites that it may use.
        shares: Its run lets several episodes change an instance at once.
    """

    trajectory_id: int
    spec: Mapping[str, Any]
    instances: frozenset[Instance]
    shares: bool


def list_holders(keys: Collection[str]) -> list[Holder]:
    """Return the running episodes that hold instances of these sites."""
    running = Trajectory.objects.filter(status=Trajectory.Status.RUNNING)
    rows = running.order_by("pk").values_list(*HOLDER_FIELDS, SHARES)
    held = (
        Holder(pk, spec, instances_of(site, spec, chosen, keys), shares is True)
        for pk, site, spec, chosen, shares in rows
    )
    return [holder for holder in held if holder.instances]


def instances_of(
    site: str,
    spec: Mapping[str, Any],
    chosen: Mapping[str, int],
    keys: Collection[str],
) -> frozenset[Instance]:
    """Return the instances that an episode has, of the sites in `keys`.

    `chosen` are the numbers that it was given; without one, instance 1.
    """
    wanted = sites_of(site, spec) & frozenset(keys)
    return frozenset((key, chosen.get(key, 1)) for key in wanted)


def count_holders(instance: Instance) -> int:
    """Count the running episodes that hold an instance."""
    return sum(instance in one.instances for one in list_holders([instance[0]]))


def list_shut() -> frozenset[Instance]:
    """Return the instances on which no episode may begin now."""
    is_closed = Q(closed_until__gt=database_now())
    return _read(
        SiteCondition.objects.filter(Q(reset_wanted_at__isnull=False) | is_closed)
    )


def list_on_trial() -> frozenset[Instance]:
    """Return the closed instances whose pause is over."""
    return _read(SiteCondition.objects.filter(closed_until__lte=database_now()))


def map_changes() -> dict[Instance, tuple[int, str]]:
    """Return each instance's number of changes since its reset, and the last stage."""
    rows = SiteCondition.objects.filter(changes__gt=0)
    fields = ("site__key", "number", "changes", "changed_in")
    return {
        (key, number): (changes, stage)
        for key, number, changes, stage in rows.values_list(*fields)
    }


def list_due_resets(now: dt.datetime | None = None) -> list[tuple[int, str, int]]:
    """Return site, key and number of the instances that should be reset now."""
    rows = SiteCondition.objects.filter(is_due(now or database_now()))
    due = rows.order_by("site_id", "number")
    found = due.values_list("site_id", "site__key", "number")
    return [one for one in found if not count_holders(one[1:])]


def _read(rows: QuerySet[SiteCondition]) -> frozenset[Instance]:
    return frozenset(rows.values_list("site__key", "number"))
