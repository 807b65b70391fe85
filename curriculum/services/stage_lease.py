"""The lease on a stage that one job does alone: scoring, training, evolving.

The token is the fence: whoever holds an older one can neither renew nor release.
A job whose renewal fails stops its work.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from curriculum.errors import StageLost
from curriculum.models import Phase
from curriculum.services.pulse import Pulse


@dataclasses.dataclass(frozen=True, slots=True)
class StageLease:
    """The right to do one stage of one phase, until it is not renewed."""

    phase_id: int
    stage: str
    token: str
    attempt: int


def claim_stage(
    *, phase_id: int, stage: str, owner: str, lease_s: float
) -> StageLease | None:
    """Take the stage if nobody holds it; None when somebody does, or it is over."""
    now, token = timezone.now(), secrets.token_hex(16)
    free = Q(work_leased_until__isnull=True) | Q(work_leased_until__lt=now)
    taken = Phase.objects.filter(free, pk=phase_id, status=stage).update(
        work_token=token,
        work_owner=owner,
        work_leased_until=now + timedelta(seconds=lease_s),
        work_attempt=F("work_attempt") + 1,
    )
    if not taken:
        return None
    attempt = Phase.objects.values_list("work_attempt", flat=True).get(pk=phase_id)
    return StageLease(phase_id, stage, token, attempt)


def renew_stage(*, lease: StageLease, lease_s: float) -> bool:
    """Hold the stage for longer; False when it is no longer ours."""
    until = timezone.now() + timedelta(seconds=lease_s)
    return bool(_held(lease).update(work_leased_until=until))


def release_stage(*, lease: StageLease) -> bool:
    """Give the stage back, so that the next job may begin at once."""
    return bool(
        _held(lease).update(work_token="", work_owner="", work_leased_until=None)
    )


def expire_stages() -> list[int]:
    """Take stages from owners that fell silent; return the phases concerned."""
    late = Phase.objects.filter(work_leased_until__lt=timezone.now())
    ids = list(late.values_list("pk", flat=True))
    if not ids:
        return []
    late.filter(pk__in=ids).update(
        work_token="", work_owner="", work_leased_until=None, woken_at=None
    )
    return ids


class Heartbeat(Pulse):
    """Renews a stage lease from a thread of its own while the job blocks."""

    def __init__(self, lease: StageLease, lease_s: float) -> None:
        self.lease = lease
        super().__init__(
            f"phase {lease.phase_id}",
            lambda: renew_stage(lease=lease, lease_s=lease_s),
            lease_s,
        )


@contextmanager
def working_on(*, phase_id: int, stage: str, owner: str) -> Iterator[Heartbeat | None]:
    """Hold a stage for the length of a block; None when it is not to be had."""
    lease = claim_stage(
        phase_id=phase_id, stage=stage, owner=owner, lease_s=settings.LEASE_S
    )
    if lease is None:
        yield None
        return
    heartbeat = Heartbeat(lease, settings.LEASE_S)
    heartbeat.start()
    try:
        yield heartbeat
    finally:
        heartbeat.end()
        release_stage(lease=lease)


@contextmanager
def writing_under(heartbeat: Heartbeat) -> Iterator[None]:
    """Open a transaction that only whoever still holds the stage can commit.

    Raises:
        StageLost: Somebody else holds the stage, or it is over.
    """
    with transaction.atomic():
        if not renew_stage(lease=heartbeat.lease, lease_s=settings.LEASE_S):
            raise StageLost("Somebody else has taken this stage over.")
        yield


def _held(lease: StageLease) -> QuerySet[Phase]:
    return Phase.objects.filter(
        pk=lease.phase_id, status=lease.stage, work_token=lease.token
    )
