"""What the API keeps of its own: tokens, and answers that may be asked for again."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class ApiToken(models.Model):
    """A program's key to the API, limited to scopes and in time.

    The secret is shown once; only its SHA-256 is kept. That is enough because it
    holds 256 random bits: nobody can guess their way to one, as with a password.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    # How the secret begins, by which a person recognises it.
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    # Written at most once a minute.
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name"],
                condition=Q(revoked_at__isnull=True),
                name="one_standing_token_per_name",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def allows(self, scope: str) -> bool:
        return scope in self.scopes

    def is_valid_at(self, now: dt.datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at

    @property
    def is_expired(self) -> bool:
        return timezone.now() >= self.expires_at


class StoredAnswer(models.Model):
    """The first answer to a request that carried an idempotency key.

    claimed (status empty, under a lease) -> answered -> forgotten after a day

    The answer is written in the transaction of what the request did, and only by
    the newest attempt: either both are there, or neither.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    key = models.CharField(max_length=255)
    # SHA-256 of method, address and body.
    digest = models.CharField(max_length=64)
    attempt = models.PositiveIntegerField(default=1)
    leased_until = models.DateTimeField()
    # The HTTP status; empty while the request runs.
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    content_type = models.CharField(max_length=80, blank=True)
    # JSON; empty where the answer has no body.
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_key"),
        ]

    def __str__(self) -> str:
        return f"answer to {self.key}"
