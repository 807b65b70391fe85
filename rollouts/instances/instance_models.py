"""The condition of external sites' instances, and the newest check of each."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from curriculum.models import Site
from curriculum.texts.sentence_field import SentenceField


class SiteCondition(models.Model):
    """The condition of one instance of an external site; no row means no trouble.

    Reset: first state -> wanted -> leased by a worker -> first state
                                 <- failed: tried again from `reset_next_at` on

    Breaker: open -> closed until a time, after failures in a row
             -> on trial: one episode at a time may try
             -> open when it ends | closed for longer when the site breaks it

    A reset is wanted from the moment in which an episode that may change the site is
    claimed, and stays so if its worker is killed. Only the owner of `reset_token` may
    end it.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    # 1 is the site's own address; see `SiteInstance`.
    number = models.PositiveIntegerField(default=1)
    reset_wanted_at = models.DateTimeField(null=True, blank=True)
    reset_token = models.CharField(max_length=40, blank=True)
    reset_leased_until = models.DateTimeField(null=True, blank=True)
    # Failures in a row, why the last one failed, and when the next try is due.
    reset_failures = models.PositiveIntegerField(default=0)
    reset_error = models.TextField(blank=True)
    reset_next_at = models.DateTimeField(null=True, blank=True)
    last_reset_at = models.DateTimeField(null=True, blank=True)
    # How long the reset took, in seconds.
    last_reset_s = models.FloatField(null=True, blank=True)
    # Episodes that may have changed it since the reset, and the stage of the last one:
    # "PHASE/PURPOSE".
    changes = models.PositiveIntegerField(default=0)
    changed_in = models.CharField(max_length=40, blank=True)
    # Episodes in a row that the site broke, and how it broke the last one.
    failures = models.PositiveIntegerField(default=0)
    failure_reason = SentenceField(blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_until = models.DateTimeField(null=True, blank=True)
    # How often in a row it was closed: each pause is twice as long.
    pauses = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["site_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["site", "number"], name="one_condition_per_instance"
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, closed_until=None)
                | Q(closed_at__isnull=False, closed_until__isnull=False),
                name="closed_site_says_until_when",
            ),
        ]

    def __str__(self) -> str:
        return f"condition of {self.site}, instance {self.number}"


class InstanceCheck(models.Model):
    """The findings of the newest check of an external site's instance.

    requested: `wanted_at` is set -> checked: it is empty again. Empty findings mean
    unknown.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    wanted_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    answers = models.BooleanField(null=True, blank=True)
    answers_why = SentenceField(blank=True)
    is_signed_in = models.BooleanField(null=True, blank=True)
    signed_in_why = SentenceField(blank=True)
    # The result of the operator's own check; without one, see `SiteCondition.changes`.
    is_at_first = models.BooleanField(null=True, blank=True)
    at_first_why = SentenceField(blank=True)
    # Name and path of each cookie that it sets.
    cookies = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["site_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["site", "number"], name="one_check_per_instance"
            ),
        ]

    def __str__(self) -> str:
        return f"check of {self.site}, instance {self.number}"
