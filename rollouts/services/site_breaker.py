"""Closes an instance of a site that keeps failing; later, single episodes try it.

Every change is a compare and swap on the row: failures add up, only the one that
reaches the limit closes the instance, and only an episode that began after the pause
opens it, or closes it for longer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.events import tell_phases
from curriculum.models import Site
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import list_addresses
from curriculum.services.phases import forget_wakeup
from curriculum.services.sites import check_sites
from rollouts.browser.types import EpisodeEnd, EpisodeFailure, EpisodeRecord
from rollouts.models import SiteCondition, Trajectory
from rollouts.selectors.instances.conditions import Instance, instances_of
from rollouts.selectors.sites import clock, list_waiting_phases, name_instance
from rollouts.services.text import clean_reason
from rollouts.site_settings.resets import grow_pause

OPEN: dict[str, Any] = {
    "failures": 0,
    "failure_reason": "",
    "closed_at": None,
    "closed_until": None,
    "pauses": 0,
}


def note_endings(records: Iterable[EpisodeRecord]) -> None:
    """Count which episodes their sites broke; called inside a transaction."""
    ends = [r for r in records if isinstance(r, EpisodeEnd | EpisodeFailure)]
    elsewhere = set(list_addresses()) if ends else set()
    if not elsewhere:
        return
    touched = _list_instances([record.trajectory_id for record in ends], elsewhere)
    for record in ends:
        held = touched[record.trajectory_id]
        if isinstance(record, EpisodeEnd):
            _note_success(held)
        elif record.failure_class == "site":
            for key, number in sorted(held):
                if record.site in ("", key):
                    _note_failure(key, number, record.reason)


@transaction.atomic
def open_site(*, key: str, number: int = 1) -> Site:
    """Open a closed instance of a site by hand.

    Raises:
        WorkbenchError: The site is unknown, or open.
    """
    check_sites([key])
    site = Site.objects.get(key=key)
    rows = SiteCondition.objects.filter(site=site, number=number)
    row = rows.filter(closed_at__isnull=False).select_related("site").first()
    if row is None or not _open(row, "site_opened"):
        name = name_instance(site.name, number)
        raise WorkbenchError(gettext("%(name)s is open.") % {"name": name})
    return site


def _note_success(held: Collection[Instance]) -> None:
    for key, number in held:
        rows = SiteCondition.objects.filter(site__key=key, number=number)
        failing = rows.filter(closed_at=None, failures__gt=0)
        failing.update(failures=0, failure_reason="")
        # One that ends within the pause began before it and proves nothing.
        for row in rows.filter(closed_until__lte=database_now()).select_related("site"):
            _open(row, "site_works")


def _note_failure(key: str, number: int, reason: str) -> None:
    made = SiteCondition(site=Site.objects.get(key=key), number=number)
    SiteCondition.objects.bulk_create([made], ignore_conflicts=True)
    rows = SiteCondition.objects.filter(site__key=key, number=number)
    rows.update(failures=F("failures") + 1, failure_reason=clean_reason(reason))
    row = rows.select_related("site").get()
    if row.closed_until is None:
        fails_too_often = row.failures >= settings.SITE_CLOSES_AFTER
    else:
        fails_too_often = row.closed_until <= database_now()
    if fails_too_often:
        _close(row)


def _close(row: SiteCondition) -> None:
    """Close the instance, for longer than the last time if it was closed."""
    now, pauses = database_now(), row.pauses + 1
    until = now + timedelta(seconds=grow_pause(pauses))
    if not _unchanged(row).update(
        closed_at=row.closed_at or now, closed_until=until, pauses=pauses
    ):
        return
    tell_phases(
        list_waiting_phases(row.site.key),
        "site_closed",
        site=name_instance(row.site.name, row.number),
        until=clock(until),
        count=row.failures,
        reason=row.failure_reason,
    )


def _open(row: SiteCondition, code: str) -> bool:
    if not _unchanged(row).update(**OPEN):
        return False
    phases = list_waiting_phases(row.site.key)
    tell_phases(phases, code, site=name_instance(row.site.name, row.number))
    forget_wakeup(phase_ids=phases)
    return True


def _unchanged(row: SiteCondition) -> QuerySet[SiteCondition]:
    return SiteCondition.objects.filter(
        pk=row.pk, closed_at=row.closed_at, closed_until=row.closed_until
    )


def _list_instances(
    trajectory_ids: Collection[int], keys: Collection[str]
) -> Mapping[int, frozenset[Instance]]:
    rows = Trajectory.objects.filter(pk__in=trajectory_ids)
    found = rows.values_list("pk", "task__site__key", "task__spec", "site_instances")
    return {
        pk: instances_of(site, spec, chosen, keys) for pk, site, spec, chosen in found
    }
