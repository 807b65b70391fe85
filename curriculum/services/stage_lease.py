"""The lease on a stage that a single job runs: scoring, training, evolving.

The token is the fencing value: an owner with an older one can neither renew nor
release. A job whose renewal fails stops its work.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from curriculum.errors import StageLost
from curriculum.models import Phase
from curriculum.services.lease_watch import LeaseWatch
from curriculum.services.pulse import Pulse

# Of this process; keys are phase and token.
WATCH: LeaseWatch[tuple[int, str]] = LeaseWatch()


@dataclasses.dataclass(frozen=True, slots=True)
class StageLease:
    """The right to run one stage of one phase, as long as it is renewed."""

    phase_id: int
    stage: str
    token: str


def claim_stage(
    *, phase_id: int, stage: str, owner: str, lease_s: float
) -> StageLease | None:
    """Take the stage if it is free; None when it is held, or over.

    Only the sweep takes it from a silent owner, since this machine's clock may be
    wrong.
    """
    token = secrets.token_hex(16)
    free = Phase.objects.filter(
        pk=phase_id, status=stage, work_leased_until__isnull=True
    )
    taken = free.update(
        work_token=token,
        work_owner=owner,
        work_leased_until=timezone.now() + timedelta(seconds=lease_s),
    )
    return StageLease(phase_id, stage, token) if taken else None


def renew_stage(*, lease: StageLease, lease_s: float) -> bool:
    """Renew the lease on the stage; False when it is no longer ours."""
    until = timezone.now() + timedelta(seconds=lease_s)
    return bool(_held(lease).update(work_leased_until=until))


def release_stage(*, lease: StageLease) -> bool:
    """Release the stage, so that the next job can begin at once."""
    return bool(
        _held(lease).update(work_token="", work_owner="", work_leased_until=None)
    )


def expire_stages(watch: LeaseWatch[tuple[int, str]] = WATCH) -> list[int]:
    """Release the stages of owners that fell silent; return the phases concerned."""
    held = Phase.objects.filter(work_leased_until__isnull=False)
    rows = held.values_list("pk", "work_token", "work_leased_until")
    marks = {(pk, token): until for pk, token, until in rows}
    silent = watch.find_silent(marks, settings.LEASE_S)
    return [pk for pk, token in sorted(silent) if _expire(pk, token, marks[pk, token])]


@transaction.atomic
def _expire(pk: int, token: str, until: datetime | None) -> bool:
    """Release a stage, and count a death; not if its lease was renewed since then.

    Nor if its row is locked: the owner is writing at this moment.
    """
    same = Phase.objects.filter(pk=pk, work_token=token, work_leased_until=until)
    free = same.select_for_update(skip_locked=True).values_list("pk", flat=True)
    return bool(
        Phase.objects.filter(pk__in=list(free)).update(
            work_token="",
            work_owner="",
            work_leased_until=None,
            work_attempt=F("work_attempt") + 1,
            woken_at=None,
        )
    )


@contextmanager
def starting(*, phase_id: int, stage: str) -> Iterator[None]:
    """Count a start-up whose worker dies in it, as it may while it loads a model.

    It holds no lease yet. It is counted before, because nothing runs after it.
    """
    phase = Phase.objects.filter(pk=phase_id, status=stage)
    phase.update(work_attempt=F("work_attempt") + 1)
    try:
        yield
    except Exception:
        counted = phase.filter(work_attempt__gt=0)
        counted.update(work_attempt=F("work_attempt") - 1)
        raise
    phase.update(work_attempt=0)


class Heartbeat(Pulse):
    """Renews a stage lease from a thread of its own while the job blocks."""

    def __init__(self, lease: StageLease, lease_s: float) -> None:
        self.lease = lease
        super().__init__(
            f"phase {lease.phase_id}",
            lambda: renew_stage(lease=lease, lease_s=lease_s),
            lease_s,
        )

    def holds(self) -> bool:
        """Renew at once; False when another job has the stage, or it is over."""
        return renew_stage(lease=self.lease, lease_s=self._lease_s)


@contextmanager
def working_on(*, phase_id: int, stage: str, owner: str) -> Iterator[Heartbeat | None]:
    """Hold a stage for the length of a block; None when it is not free.

    Raises:
        StageLost: The block failed after another job had taken the stage: its error
            must not count against the stage.
    """
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
    except Exception as error:
        heartbeat.end()
        if release_stage(lease=lease) or isinstance(error, StageLost):
            raise
        raise StageLost("Somebody else has taken this stage over.") from error
    finally:
        heartbeat.end()
        release_stage(lease=lease)


@contextmanager
def writing_under(heartbeat: Heartbeat) -> Iterator[None]:
    """Open a transaction that commits only if the lease still holds the stage.

    Raises:
        StageLost: Another job holds the stage, or it is over.
    """
    with transaction.atomic():
        if not renew_stage(lease=heartbeat.lease, lease_s=settings.LEASE_S):
            raise StageLost("Somebody else has taken this stage over.")
        yield


def _held(lease: StageLease) -> QuerySet[Phase]:
    return Phase.objects.filter(
        pk=lease.phase_id, status=lease.stage, work_token=lease.token
    )
