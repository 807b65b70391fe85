"""Rows of the deployment: the API's tokens and stored answers, and who works."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from curriculum.models import Phase

# Seconds between two heartbeats, and without one until a worker counts as dead.
BEAT_S = 5.0
SILENT_S = 20.0
# The sweep runs every two seconds; after this many, something blocks it.
SWEEP_LATE_S = 30.0


class ApiToken(models.Model):
    """A program's key to the API, limited to scopes and in time.

    The secret is shown once; only its SHA-256 is kept. That is enough because it
    holds 256 random bits, which cannot be guessed like a password.
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


class IdempotentResponse(models.Model):
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


class Worker(models.Model):
    """A worker process, from its start to its last heartbeat.

    Work is held by leases, which are elsewhere. This is for people to look at, and says
    whether anybody is there to be woken.
    """

    name = models.CharField(max_length=100, unique=True)
    host = models.CharField(max_length=60)
    pid = models.PositiveIntegerField()
    # Names of its queues, separated by blanks, with one at both ends.
    queues = models.CharField(max_length=200)
    # The job it is doing and since when; empty while it waits.
    job = models.CharField(max_length=100, blank=True)
    phase = models.ForeignKey(
        Phase, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    job_since = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()
    # When it last came to the end of a sweep; empty for workers of other queues.
    swept_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_alive(self) -> bool:
        return timezone.now() - self.seen_at < dt.timedelta(seconds=SILENT_S)

    @property
    def queue_names(self) -> list[str]:
        return self.queues.split()


class PhaseRecord(models.Model):
    """What exactly a phase ran with at one moment; never changed.

    Training that starts again with other settings has a new record of its beginning.
    """

    class Moment(models.TextChoices):
        OPENED = "opened", gettext_lazy("When it began")
        TRAINING = "training", gettext_lazy("When it began to train")

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="+")
    moment = models.CharField(max_length=10, choices=Moment)
    data = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "moment"], name="one_record_per_moment"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.phase} {self.moment}"


class Delivery(models.Model):
    """One notice to deliver: waiting -> delivered | given up.

    `next_at` is advanced before each try, so that a try that dies is repeated.
    """

    class Channel(models.TextChoices):
        WEBHOOK = "webhook", gettext_lazy("Webhook")
        EMAIL = "email", gettext_lazy("E-mail")

    # The event and the channel: each event is sent once.
    key = models.CharField(max_length=120, unique=True)
    channel = models.CharField(max_length=10, choices=Channel)
    payload = models.JSONField()
    attempts = models.PositiveIntegerField(default=0)
    # When the next try is due; empty once it was delivered or given up.
    next_at = models.DateTimeField(null=True, blank=True, db_index=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"

    def __str__(self) -> str:
        return self.key


class GuessCount(models.Model):
    """How many wrong secrets came in one minute from one client or for one account."""

    # SHA-256 of the kind of secret and of who is counted.
    key = models.CharField(max_length=64)
    # Minutes since 1970.
    minute = models.BigIntegerField(db_index=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["key", "minute"], name="one_guess_count_per_minute"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key[:12]} {self.minute}: {self.count}"


class Welcome(models.Model):
    """How far a person has come in getting to know the dashboard.

    No row before anything; each moment is written once, the tour's end may be taken
    back to see the tour again.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="welcome"
    )
    tour_ended_at = models.DateTimeField(null=True, blank=True)
    steps_hidden_at = models.DateTimeField(null=True, blank=True)
    replay_opened_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"welcome of person {self.user_id}"
