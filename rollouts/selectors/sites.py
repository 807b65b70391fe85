"""The condition of external sites, and the phases that wait for them."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.models import Phase
from curriculum.object_store.watch import is_store_down
from curriculum.rules.disk_room import is_disk_full
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import list_instances
from curriculum.selectors.waits import waits_for_disk
from curriculum.texts.saying import say
from rollouts.models import STAGE_PURPOSES, SiteCondition, Trajectory

Status = Trajectory.Status


def touching(rows: QuerySet[Trajectory], key: str) -> QuerySet[Trajectory]:
    """Return the episodes whose task is on the site or names it among others."""
    text = Cast(KeyTextTransform("sites", "task__spec"), TextField())
    named = rows.annotate(named=Coalesce(text, Value("", TextField())))
    return named.filter(Q(task__site__key=key) | Q(named__contains=f'"{key}"'))


def list_waiting_phases(key: str) -> list[int]:
    """Return the moving phases that have queued episodes on the site."""
    queued = Trajectory.objects.filter(
        status=Status.QUEUED, phase__status__in=tuple(STAGE_PURPOSES)
    )
    ids = touching(queued, key).order_by("phase_id").values_list("phase_id", flat=True)
    return list(ids.distinct())


def sites_of(site: str, spec: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys of all sites that a task touches; `site` is its first."""
    return frozenset(spec.get("sites") or [site])


def name_instance(name: str, number: int) -> str:
    """Return a site's name, with the instance's number where it is not the first."""
    return name if number == 1 else f"{name} #{number}"


def is_due(now: dt.datetime) -> Q:
    """A reset is wanted, not running, and not delayed by a pause."""
    free = Q(reset_leased_until=None) | Q(reset_leased_until__lt=now)
    ripe = Q(reset_next_at=None) | Q(reset_next_at__lte=now)
    return free & ripe & Q(reset_wanted_at__isnull=False)


@dataclasses.dataclass(frozen=True, slots=True)
class ConditionView:
    """The condition of an instance in words, for its site's page.

    Attributes:
        troubles: Whole sentences on why no episode can use it.
        last_reset: When it was last reset, "" for never.
        is_closed: It kept failing and is closed, or on trial.
        failing: How often it failed in a row while still open, "" for never.
        changes: Episodes that may have changed it since its last reset.
    """

    troubles: tuple[str, ...]
    last_reset: str
    is_closed: bool
    failing: str
    changes: int


def describe_conditions() -> dict[tuple[int, int], ConditionView]:
    """Return conditions by site and number; instances without one never failed."""
    rows = SiteCondition.objects.select_related("site")
    return {(row.site_id, row.number): _describe(row) for row in rows}


def _describe(row: SiteCondition) -> ConditionView:
    last = clock(row.last_reset_at) if row.last_reset_at else ""
    failing = ""
    if row.failures and row.closed_at is None:
        often = (
            "1 episode"
            if row.failures == 1
            else gettext("%(failures)s in a row") % {"failures": row.failures}
        )
        failing = gettext("broke %(often)s; the last: %(failure_reason)s") % {
            "often": often,
            "failure_reason": say(row.failure_reason),
        }
    return ConditionView(
        describe_troubles(row), last, row.closed_at is not None, failing, row.changes
    )


def describe_troubles(row: SiteCondition) -> tuple[str, ...]:
    """Return whole sentences on why no episode can use an instance; () for none."""
    whys = (describe_closing(row), describe_reset(row))
    name = name_instance(row.site.name, row.number)
    return tuple(f"{name} {why}" for why in whys if why)


def describe_closing(row: SiteCondition) -> str:
    """Say in words since when and until when the site is closed; "" when open."""
    if row.closed_at is None or row.closed_until is None:
        return ""
    if row.closed_until > database_now():
        after = gettext("Next attempt at %(clock)s.") % {
            "clock": clock(row.closed_until)
        }
    else:
        after = gettext("It is tested one episode at a time.")
    return gettext(
        "has been closed since %(clock)s, after %(failures)s broken episodes "
        "in a row. %(after)s Last failure: %(failure_reason)s"
    ) % {
        "clock": clock(row.closed_at),
        "failures": row.failures,
        "after": after,
        "failure_reason": say(row.failure_reason),
    }


def describe_reset(condition: SiteCondition) -> str:
    """Return the state of the site's reset in words; "" when none is wanted."""
    if condition.reset_wanted_at is None:
        return ""
    if condition.reset_leased_until is not None:
        return gettext("is being reset.")
    if not condition.reset_failures:
        return gettext("has been due for a reset since %(clock)s.") % {
            "clock": clock(condition.reset_wanted_at)
        }
    times = condition.reset_failures
    often = (
        "once" if times == 1 else gettext("%(times)s times in a row") % {"times": times}
    )
    after = condition.reset_next_at
    again = (
        gettext(" Next attempt at %(clock)s.") % {"clock": clock(after)}
        if after
        else ""
    )
    return f"could not be reset, {often}: {condition.reset_error}{again}"


def find_reset_text(site_id: int, number: int) -> str:
    """Return the state of one instance's reset in words."""
    row = SiteCondition.objects.filter(site_id=site_id, number=number).first()
    return describe_reset(row) if row else ""


def describe_waits(phase: Phase) -> list[str]:
    """Say in words what the phase, or its queued episodes, wait for, and why."""
    if is_disk_full() and phase.is_moving:
        return [gettext("The disk is full. The phase continues once there is room.")]
    if phase.is_moving and is_store_down():
        return [
            gettext(
                "The object store does not answer. The phase continues once it does."
            )
        ]
    if phase.status not in STAGE_PURPOSES:
        return describe_endpoint_wait(phase)
    queued = Trajectory.objects.filter(phase=phase, status=Status.QUEUED)
    waits = _describe_outage(phase, queued)
    instances = list_instances()
    troubles: defaultdict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
    for row in SiteCondition.objects.select_related("site"):
        if found := describe_troubles(row):
            troubles[row.site.key][row.number] = found
    for key, by_number in troubles.items():
        # One instance without trouble is enough to go on.
        is_shut = not set(instances.get(key, ())) - set(by_number)
        if is_shut and touching(queued, key).exists():
            waits += [text for texts in by_number.values() for text in texts]
    return waits


def _describe_outage(phase: Phase, queued: QuerySet[Trajectory]) -> list[str]:
    """Say that episodes wait for the model's endpoint, with its last error."""
    reasons = queued.filter(failure_class="endpoint").order_by("-outages")
    reason = reasons.values_list("failure_reason", flat=True).first()
    waits = [say(reason)] if reason else []
    return waits + describe_endpoint_wait(phase)


def describe_endpoint_wait(phase: Phase) -> list[str]:
    """Say until when the phase does not call its model's endpoint; [] if it may.

    Or until when it does not write to a disk that was full.
    """
    until = phase.waits_until
    if until is None or until <= database_now():
        return []
    if waits_for_disk(phase.pk):
        text = gettext("The disk refused a write. The next attempt is at %(clock)s.")
        return [text % {"clock": clock(until)}]
    return [
        gettext(
            "A model's server asked not to be called before %(clock)s. The phase "
            "continues then."
        )
        % {"clock": clock(until)}
    ]


def clock(moment: dt.datetime) -> str:
    """Return day and time as the pages show them."""
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M:%S}"
