"""The base of trainings that have a name."""

from __future__ import annotations

from django.db import models


class NamedTraining(models.Model):
    """A training with a name, run by a supervised subprocess.

    running -> finished | failed; started again, both resume from their files.
    """

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        FAILED = "failed", "Failed"

    # Also part of its weights' path.
    name = models.SlugField(max_length=80, unique=True)
    base_uri = models.CharField(max_length=300)
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    # Every number that was used, by section.
    config = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    provenance = models.JSONField(default=dict)
    failure_reason = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name
