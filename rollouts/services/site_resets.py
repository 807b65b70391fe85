"""Resets of external sites: wanted, leased by one worker, done or tried again later.

The row of an instance is authoritative. The transaction that claims an episode marks
the reset as wanted if the episode may change the instance or needs it in its first
state. It stays wanted until a worker has carried it out, so a worker killed in between
loses nothing. Meanwhile no other episode gets the instance.
"""

from __future__ import annotations

import dataclasses
import logging
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.events import tell_phases
from curriculum.models import Site
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import list_instances
from curriculum.services.phases import forget_wakeup
from curriculum.services.pulse import Pulse
from curriculum.services.sites import check_sites
from rollouts.models import InstanceCheck, SiteCondition
from rollouts.selectors.instances.conditions import Instance, count_holders
from rollouts.selectors.sites import (
    clock,
    is_due,
    list_waiting_phases,
    name_instance,
)
from rollouts.site_settings.resets import can_reset, find_reset, grow_pause
from rollouts.site_settings.site_reset import (
    ResetFailed,
    ResetStopped,
    SiteReset,
    carry_out,
)

logger = logging.getLogger(__name__)

NO_WISH = {
    "reset_wanted_at": None,
    "reset_token": "",
    "reset_leased_until": None,
    "reset_failures": 0,
    "reset_error": "",
    "reset_next_at": None,
}
CarryOut = Callable[[SiteReset, Callable[[], bool]], None]


@dataclasses.dataclass(frozen=True, slots=True)
class ResetLease:
    """The right to reset one instance of a site, as long as it is renewed."""

    site: Site
    number: int
    token: str

    @property
    def instance(self) -> Instance:
        """Its site's key and its number."""
        return self.site.key, self.number


def note_changes(*, changes: Mapping[Instance, int], stage: str) -> None:
    """Count episodes that may change instances; called inside a claim of `stage`."""
    for row in _make_conditions(changes):
        added = changes[row.site.key, row.number]
        SiteCondition.objects.filter(pk=row.pk).update(
            changes=F("changes") + added, changed_in=stage
        )


def want_resets(*, instances: Collection[Instance]) -> None:
    """Mark the resets of instances as wanted; called inside a claim."""
    ids = [row.pk for row in _make_conditions(instances)]
    if ids:
        SiteCondition.objects.filter(pk__in=ids, reset_wanted_at=None).update(
            reset_wanted_at=database_now()
        )


def _make_conditions(instances: Collection[Instance]) -> list[SiteCondition]:
    """Return the instances' rows; make those that are missing."""
    if not instances:
        return []
    keys = {key for key, _ in instances}
    sites = {site.key: site for site in Site.objects.filter(key__in=keys)}
    SiteCondition.objects.bulk_create(
        [
            SiteCondition(site=sites[key], number=number)
            for key, number in sorted(instances)
        ],
        ignore_conflicts=True,
    )
    rows = SiteCondition.objects.filter(site__in=sites.values()).select_related("site")
    return [row for row in rows if (row.site.key, row.number) in instances]


@transaction.atomic
def request_reset(*, key: str, number: int = 1) -> Site:
    """Mark an instance's reset as wanted by a person, without a pause after failures.

    Raises:
        WorkbenchError: The site is unknown, or the settings define no reset for it.
    """
    check_sites([key])
    site = Site.objects.select_for_update().get(key=key)
    if site.kind == Site.Kind.SANDBOX:
        raise WorkbenchError(
            gettext("%(name)s is in the sandbox: every episode is fresh.")
            % {"name": site.name}
        )
    if not can_reset((key, number)):
        raise WorkbenchError(
            gettext(
                "No reset is configured for %(key)s; set one in SITE_RESETS "
                "(docs/operations.md)."
            )
            % {"key": key if number == 1 else f"{key}#{number}"}
        )
    want_resets(instances=[(key, number)])
    SiteCondition.objects.filter(site=site, number=number).update(reset_next_at=None)
    return site


@transaction.atomic
def claim_reset(*, site_id: int, lease_s: float, number: int = 1) -> ResetLease | None:
    """Take a reset that is due and whose instance is free; None when there is none."""
    # Episodes are claimed under the same lock: none begins in between.
    site = Site.objects.select_for_update().filter(pk=site_id).first()
    if site is None or count_holders((site.key, number)):
        return None
    now, token = database_now(), secrets.token_hex(16)
    taken = SiteCondition.objects.filter(is_due(now), site=site, number=number).update(
        reset_token=token, reset_leased_until=now + timedelta(seconds=lease_s)
    )
    return ResetLease(site, number, token) if taken else None


def renew_reset(*, lease: ResetLease, lease_s: float) -> bool:
    """Renew the reset's lease; False when it is no longer ours."""
    until = database_now() + timedelta(seconds=lease_s)
    return bool(_held(lease).update(reset_leased_until=until))


def release_reset(*, lease: ResetLease) -> bool:
    """Give an unfinished reset back, as when a worker shuts down."""
    return bool(_held(lease).update(reset_token="", reset_leased_until=None))


@transaction.atomic
def finish_reset(*, lease: ResetLease, seconds: float | None = None) -> bool:
    """Note that the instance is in its first state, and free it for episodes.

    `seconds` is how long the reset took.
    """
    had_failed = _held(lease).filter(reset_failures__gt=0).exists()
    if not _held(lease).update(
        **NO_WISH,
        last_reset_at=database_now(),
        last_reset_s=seconds,
        changes=0,
        changed_in="",
    ):
        return False
    # What an earlier check found no longer applies.
    InstanceCheck.objects.filter(site=lease.site, number=lease.number).update(
        is_at_first=None, at_first_why=""
    )
    phases = list_waiting_phases(lease.site.key)
    if had_failed:
        tell_phases(phases, "site_reset", site=_name(lease))
    forget_wakeup(phase_ids=phases)
    return True


@transaction.atomic
def fail_reset(*, lease: ResetLease, reason: str) -> bool:
    """Note why it failed, and when it is tried again: later each time."""
    row = _held(lease).first()
    if row is None:
        return False
    failures = row.reset_failures + 1
    again = database_now() + timedelta(seconds=grow_pause(failures))
    _held(lease).update(
        reset_token="",
        reset_leased_until=None,
        reset_failures=failures,
        reset_error=reason[:2000],
        reset_next_at=again,
    )
    tell_phases(
        list_waiting_phases(lease.site.key),
        "reset_failed",
        site=_name(lease),
        reason=reason,
        at=clock(again),
    )
    return True


@transaction.atomic
def forget_reset(*, site_id: int, number: int = 1) -> bool:
    """Drop a wanted reset that the settings no longer define."""
    now = database_now()
    rows = SiteCondition.objects.filter(is_due(now), site_id=site_id, number=number)
    return bool(rows.update(**NO_WISH))


def reset_site(
    *, site_id: int, lease_s: float, act: CarryOut = carry_out, number: int = 1
) -> bool:
    """Reset an instance if that is wanted, due and possible now; True when done.

    `act` does the work; the operator's command or call by default.
    """
    lease = claim_reset(site_id=site_id, lease_s=lease_s, number=number)
    if lease is None:
        return False
    began = time.monotonic()
    pulse = Pulse(
        f"the reset of {lease.site.key}",
        lambda: renew_reset(lease=lease, lease_s=lease_s),
        lease_s,
    )
    pulse.start()
    try:
        why = _try(lease, act, lambda: pulse.must_stop)
    finally:
        pulse.end()
    if why is None:
        release_reset(lease=lease)
        return False
    if why:
        fail_reset(lease=lease, reason=why)
        return False
    return finish_reset(lease=lease, seconds=time.monotonic() - began)


def _try(lease: ResetLease, act: CarryOut, must_stop: Callable[[], bool]) -> str | None:
    """Return "" when done, the reason of a failure, or None when it was given up."""
    try:
        address = list_instances().get(lease.site.key, {}).get(lease.number, "")
        recipe = find_reset(*lease.instance, address)
        if recipe is None:
            return "SITE_RESETS says nothing of it in this worker's settings."
        act(recipe, must_stop)
    except ResetStopped:
        return None
    except WorkbenchError as error:
        return error.message
    except ResetFailed as error:
        return str(error)
    except Exception as error:
        logger.exception("The reset of %s broke", lease.site.key)
        return f"{type(error).__name__} in the workbench; its log says more."
    return ""


def _held(lease: ResetLease) -> QuerySet[SiteCondition]:
    return SiteCondition.objects.filter(
        site=lease.site,
        number=lease.number,
        reset_token=lease.token,
        reset_wanted_at__isnull=False,
    )


def _name(lease: ResetLease) -> str:
    return name_instance(lease.site.name, lease.number)
