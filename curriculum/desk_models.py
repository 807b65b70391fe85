"""What the review desk stores in addition to the decisions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class FirstLook(models.Model):
    """A decision taken before the machine's opinion was shown; never changed."""

    class Decision(models.TextChoices):
        """A skip needs no blind decision."""

        ACCEPT = "accept", gettext_lazy("Accept")
        EDIT = "edit", gettext_lazy("Edit and accept")
        REJECT = "reject", gettext_lazy("Reject")

    task = models.ForeignKey(
        "curriculum.Task", on_delete=models.CASCADE, related_name="first_looks"
    )
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    decision = models.CharField(max_length=8)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "reviewer"], name="one_first_look_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision} of task {self.task_id} at first"


class Flag(models.Model):
    """A request that a researcher look at a task; open until one has."""

    task = models.ForeignKey(
        "curriculum.Task", on_delete=models.CASCADE, related_name="flags"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="flags"
    )
    note = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="settled_flags",
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "author"],
                condition=Q(settled_at__isnull=True),
                name="one_standing_flag_per_person",
            ),
            models.CheckConstraint(condition=~Q(note=""), name="flag_has_a_note"),
        ]

    def __str__(self) -> str:
        return f"flag on task {self.task_id}"


class GoldItem(models.Model):
    """A task whose right decision is known, mixed in to test the reviewers.

    Reviewers never learn which of the tasks on their desk these are.
    """

    task = models.OneToOneField(
        "curriculum.Task", on_delete=models.CASCADE, related_name="gold"
    )
    accepts = models.BooleanField()
    why = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"gold item, task {self.task_id}"


class Guideline(models.Model):
    """One version of the reviewers' guidelines, in Markdown; never changed."""

    version = models.PositiveIntegerField(unique=True)
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]

    def __str__(self) -> str:
        return f"version {self.version}"


class ReviewBatch(models.Model):
    """Tasks that a researcher decided together, and that are undone together."""

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"set {self.pk}"


class DeskKeys(models.Model):
    """The keys that a person chose for the review desk."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="desk_keys"
    )
    # Action to key; curriculum.rules.desk_keys lists the actions.
    keys = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"keys of person {self.person_id}"
