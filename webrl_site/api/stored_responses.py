"""Stored answers to repeated requests: claimed, kept, deleted.

The only writer of `IdempotentResponse`. A claim is a row with a lease: of two requests
with the same key, the database admits one. The claim of a dead process expires, and
the next request with the key takes it over with a higher attempt. If the older one is
still alive, it can no longer write, and its work is rolled back.
"""

from __future__ import annotations

import datetime as dt

from django.db import IntegrityError, transaction
from django.utils import timezone

from curriculum.selectors.database_clock import database_now
from webrl_site.api.errors import KeyReused, RequestRunning
from webrl_site.models import IdempotentResponse

KEPT = dt.timedelta(hours=24)
LEASE = dt.timedelta(seconds=60)
FORGOTTEN_AT_ONCE = 1000


class AnswerLost(Exception):
    """Another attempt has taken the request over: undo what this one did."""


def claim_answer(*, user_id: int, key: str, digest: str) -> IdempotentResponse:
    """Reserve the key, or return the answer that it already has.

    Raises:
        KeyReused: The key belongs to a request with another digest.
        RequestRunning: The first request has not been answered yet.
    """
    now = database_now()
    old = IdempotentResponse.objects.filter(user_id=user_id, key=key)
    old.filter(created_at__lt=now - KEPT).delete()
    try:
        with transaction.atomic():
            return IdempotentResponse.objects.create(
                user_id=user_id, key=key, digest=digest, leased_until=now + LEASE
            )
    except IntegrityError:
        return _take_up(user_id, key, digest, now)


def _take_up(
    user_id: int, key: str, digest: str, now: dt.datetime
) -> IdempotentResponse:
    """Return the present row: answered, or taken over from a request that died."""
    row = IdempotentResponse.objects.filter(user_id=user_id, key=key).first()
    if row is None:  # given back this very moment
        raise RequestRunning
    if row.digest != digest:
        raise KeyReused
    if row.status is not None:
        return row
    dead = IdempotentResponse.objects.filter(
        pk=row.pk, attempt=row.attempt, status=None, leased_until__lte=now
    )
    if not dead.update(attempt=row.attempt + 1, leased_until=now + LEASE):
        raise RequestRunning
    row.attempt += 1
    return row


def keep_answer(
    *, answer: IdempotentResponse, status: int, body: str, content_type: str
) -> None:
    """Write the answer down, in the transaction of what it is about.

    Raises:
        AnswerLost: A newer attempt has the key.
    """
    mine = IdempotentResponse.objects.filter(pk=answer.pk, attempt=answer.attempt)
    if not mine.filter(status=None).update(
        status=status, body=body, content_type=content_type
    ):
        raise AnswerLost


def give_back(*, answer: IdempotentResponse) -> None:
    """Free the key, since the request had no effect."""
    IdempotentResponse.objects.filter(
        pk=answer.pk, attempt=answer.attempt, status=None
    ).delete()


def forget_answers() -> int:
    """Delete answers that are older than a day; returns how many."""
    old = IdempotentResponse.objects.filter(created_at__lt=timezone.now() - KEPT)
    ids = list(old.values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE])
    # With a single-writer database, a delete has to wait for others; a read does not.
    return IdempotentResponse.objects.filter(pk__in=ids).delete()[0] if ids else 0
