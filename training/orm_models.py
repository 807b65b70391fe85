"""Reward models trained further on people's verdicts, and their examples."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy

from curriculum.models import Phase
from rollouts.models import HumanVerdict, Trajectory
from training.named_training import NamedTraining


class OrmTraining(NamedTraining):
    """One training of a reward model, whose address is `orm-NAME/orm`.

    Its config is {"orm": OrmConfig, "algorithm": WebRLConfig}.
    """

    # The phase within which it was trained; empty for a training on request.
    phase = models.ForeignKey(
        Phase,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="orm_trainings",
    )
    # {"": {"n": 12, "before": 0.75, "after": 0.83}, "shop": ...}, held-out episodes.
    accuracy = models.JSONField(default=dict)
    checkpoint = models.OneToOneField(
        "training.Checkpoint",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="orm_training",
    )


class OrmExample(models.Model):
    """One episode that a reward model learnt from, or was measured on."""

    class Source(models.TextChoices):
        PEOPLE = "people", gettext_lazy("People's verdicts")
        EVALUATORS = "checks", gettext_lazy("The evaluators' outcomes")
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
    # The person whose verdict it is; empty for the model's own.
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
