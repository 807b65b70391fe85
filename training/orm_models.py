"""Reward models that went on learning from what people say, and from what exactly."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy

from curriculum.models import Phase
from rollouts.models import HumanVerdict, Trajectory


class OrmTraining(models.Model):
    """One training of a reward model, by a supervised subprocess.

    running -> finished | failed; both go on from their files when asked again.
    """

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        FAILED = "failed", "Failed"

    # Also where it lies: `orm-NAME/orm`.
    name = models.SlugField(max_length=80, unique=True)
    # The phase that trained it on its way; empty when somebody asked for it.
    phase = models.ForeignKey(
        Phase,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="orm_trainings",
    )
    base_uri = models.CharField(max_length=300)
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    # {"orm": OrmConfig, "algorithm": WebRLConfig}: every number that was used.
    config = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    # {"": {"n": 12, "before": 0.75, "after": 0.83}, "shop": ...}, held-out episodes.
    accuracy = models.JSONField(default=dict)
    provenance = models.JSONField(default=dict)
    failure_reason = models.TextField(blank=True)
    checkpoint = models.OneToOneField(
        "training.Checkpoint",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="orm_training",
    )
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class OrmExample(models.Model):
    """One episode that a reward model learnt from, or was measured on."""

    class Source(models.TextChoices):
        PEOPLE = "people", gettext_lazy("People's verdicts")
        OWN = "own", gettext_lazy("Its own sure verdict")

    training = models.ForeignKey(
        OrmTraining, on_delete=models.CASCADE, related_name="examples"
    )
    trajectory = models.ForeignKey(
        Trajectory, on_delete=models.CASCADE, related_name="orm_examples"
    )
    source = models.CharField(max_length=6, choices=Source)
    is_success = models.BooleanField()
    is_held_out = models.BooleanField(default=False)
    # P(YES) of a held-out episode, before and after.
    before = models.FloatField(null=True, blank=True)
    after = models.FloatField(null=True, blank=True)
    # Whose word it is; empty for the model's own.
    verdicts: models.ManyToManyField[HumanVerdict, Any] = models.ManyToManyField(
        HumanVerdict, related_name="orm_examples", blank=True
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["training", "trajectory"], name="one_orm_example_per_episode"
            ),
        ]

    def __str__(self) -> str:
        return f"episode {self.trajectory_id} for {self.training_id}"
