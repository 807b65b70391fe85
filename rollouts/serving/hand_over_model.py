"""Which server acts with which weights."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from curriculum.models import Phase
from curriculum.texts.sentence_field import SentenceField


class HandOver(models.Model):
    """Weights given to the server that acts with them, in a phase.

    running -> done | failed -> running, with each further try.

    Of all rows that are done and name one served model, the newest says which weights
    it acts with.
    """

    class State(models.TextChoices):
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")

    phase = models.ForeignKey(
        Phase, on_delete=models.CASCADE, related_name="hand_overs"
    )
    # The checkpoint, and the digest of its files.
    policy_uri = models.CharField(max_length=300)
    digest = models.CharField(max_length=64)
    # The way of the hand-over: a key of rollouts/serving/types.py.
    way = models.CharField(max_length=20)
    state = models.CharField(max_length=7, choices=State, default=State.RUNNING)
    # The served model that then acts with them; empty until it is done.
    served_uri = models.CharField(max_length=300, blank=True)
    reason = SentenceField(blank=True)
    tries = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["served_uri", "ended_at"])]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "policy_uri"], name="one_hand_over_of_weights"
            ),
        ]

    def __str__(self) -> str:
        return f"hand-over of {self.policy_uri}"
