"""What retention has removed, and how much room the evidence takes."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from rollouts.retention import Rule


class EvidenceKind(models.TextChoices):
    """Files that show what an episode did; training does not use them."""

    TRACE = "trace", gettext_lazy("Traces")
    SCREENSHOT = "screenshot", gettext_lazy("Screenshots")
    # Of steps. The last page stays: `rescore` judges again from it.
    PAGE = "page", gettext_lazy("Recorded pages of steps")


class RemovedEvidence(models.Model):
    """One kind of an episode's files was removed; written once, after the removal.

    The names of the files stay in the episode's rows. `days` and `gib` are the rule as
    it was then.
    """

    trajectory = models.ForeignKey(
        "rollouts.Trajectory", on_delete=models.CASCADE, related_name="removed_evidence"
    )
    kind = models.CharField(max_length=10, choices=EvidenceKind)
    days = models.PositiveIntegerField(default=0)
    gib = models.PositiveIntegerField(default=0)
    removed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["trajectory", "kind"], name="evidence_removed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of trajectory {self.trajectory_id}"

    @property
    def rule(self) -> Rule:
        return Rule(self.kind, days=self.days, gib=self.gib)


class EvidenceUse(models.Model):
    """The number of files of one kind and their bytes, as last counted."""

    kind = models.CharField(max_length=10, choices=EvidenceKind, unique=True)
    files = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    measured_at = models.DateTimeField()

    class Meta:
        ordering = ["kind"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.bytes} bytes"
