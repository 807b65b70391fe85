"""Training runs, checkpoints, replay experience and metrics: how to improve."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Phase
from rollouts.models import Step
from training.orm_models import OrmExample, OrmTraining
from training.sft_models import SftTraining

__all__ = [
    "Checkpoint",
    "Experience",
    "Metric",
    "OrmExample",
    "OrmTraining",
    "SftTraining",
    "TrainingRun",
]


class TrainingRun(models.Model):
    """One critic-then-policy training, done by a supervised subprocess.

    queued -> running -> finished | failed; running -> queued when the process dies.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Queued")
        RUNNING = "running", gettext_lazy("Running")
        FINISHED = "finished", gettext_lazy("Finished")
        FAILED = "failed", gettext_lazy("Failed")

    phase = models.OneToOneField(
        Phase, on_delete=models.CASCADE, related_name="training_run"
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # WebRLConfig as a JSON object: every number of the method that was used.
    config = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    # Commit, package versions, device, threads: what exactly made the weights.
    provenance = models.JSONField(default=dict)
    directory = models.CharField(max_length=300, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    # {"stage": "critic", "done": 10, "total": 80, "seconds_left": 12.0}
    progress = models.JSONField(default=dict, blank=True)
    failure_reason = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return gettext("training of %(phase)s") % {"phase": self.phase}


class Checkpoint(models.Model):
    """Saved weights with the digest that keeps their address honest."""

    class Kind(models.TextChoices):
        POLICY = "policy", gettext_lazy("Policy")
        CRITIC = "critic", gettext_lazy("Critic")
        ORM = "orm", gettext_lazy("Reward model")

    training_run = models.ForeignKey(
        TrainingRun,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="checkpoints",
    )
    kind = models.CharField(max_length=8, choices=Kind)
    uri = models.CharField(max_length=300, unique=True)
    digest = models.CharField(max_length=64)
    parameter_count = models.PositiveBigIntegerField(null=True, blank=True)
    parent = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="children",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.uri


class Experience(models.Model):
    """What training made of one step: its numbers, and why it was used or left out."""

    class Source(models.TextChoices):
        FRESH = "fresh", gettext_lazy("This phase")
        REPLAY = "replay", gettext_lazy("Replay buffer")
        DEMONSTRATION = "shown", gettext_lazy("Demonstrations")

    training_run = models.ForeignKey(
        TrainingRun, on_delete=models.CASCADE, related_name="experiences"
    )
    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="experiences")
    source = models.CharField(max_length=6, choices=Source)
    value = models.FloatField(null=True, blank=True)
    advantage = models.FloatField(null=True, blank=True)
    # Under the previous phase's policy: exp(-mean token log-probability), >= 1.
    perplexity = models.FloatField(null=True, blank=True)
    # log pi_theta - log pi_ref of the action after training, summed over tokens.
    log_ratio = models.FloatField(null=True, blank=True)
    was_used = models.BooleanField(default=False)
    left_out_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["training_run", "step"], name="one_experience_per_step"
            ),
            models.CheckConstraint(
                condition=Q(was_used=True) | ~Q(left_out_reason=""),
                name="left_out_experience_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"experience of step {self.step_id}"


class Metric(models.Model):
    """One number of one training run at one optimiser step."""

    training_run = models.ForeignKey(
        TrainingRun, on_delete=models.CASCADE, related_name="metrics"
    )
    name = models.CharField(max_length=60)
    step = models.PositiveIntegerField()
    value = models.FloatField()

    class Meta:
        ordering = ["name", "step"]
        constraints = [
            models.UniqueConstraint(
                fields=["training_run", "name", "step"], name="metric_step_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.step}"
