"""Policies trained further on demonstrations, and which demonstrations."""

from __future__ import annotations

from typing import Any

from django.db import models

from rollouts.models import Trajectory
from training.named_training import NamedTraining


class SftTraining(NamedTraining):
    """One SFT of a policy on kept demonstrations, whose address is `sft-NAME/policy`.

    Its config is {"sft": SftConfig, "algorithm": WebRLConfig}.
    """

    trajectories: models.ManyToManyField[Trajectory, Any] = models.ManyToManyField(
        Trajectory, related_name="sft_trainings"
    )
    # How many steps were learnt, and the mean loss of each pass.
    step_count = models.PositiveIntegerField(default=0)
    losses = models.JSONField(default=list)
    checkpoint = models.OneToOneField(
        "training.Checkpoint",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="sft_training",
    )
