"""Sites, tasks, reviews, runs and phases: what to attempt next, and who agreed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from curriculum.desk_models import (
    DeskKeys,
    FirstLook,
    Flag,
    GoldItem,
    Guideline,
    ReviewBatch,
)
from curriculum.review_models import Review
from curriculum.texts.sentence_field import SentenceField

__all__ = [
    "DeskKeys",
    "FirstLook",
    "Flag",
    "GoldItem",
    "Guideline",
    "Phase",
    "PhaseEvent",
    "Review",
    "ReviewBatch",
    "Run",
    "Site",
    "SiteInstance",
    "Task",
]


class Site(models.Model):
    """A web application the agent works on."""

    class Kind(models.TextChoices):
        SANDBOX = "sandbox", gettext_lazy("Sandbox")
        EXTERNAL = "external", gettext_lazy("External")

    key = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SANDBOX)
    description = models.TextField(blank=True)
    # Stands for the site's origin in task files, as in WebArena: __SHOPPING__.
    placeholder = models.CharField(max_length=40, unique=True)
    base_url = models.URLField(blank=True, help_text="External sites only.")

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.name


class SiteInstance(models.Model):
    """A further instance of an external site; the first is at the site's own address.

    The site's own address is instance 1. A number is never used again: an instance
    that is taken away keeps its row, without an address.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="instances")
    number = models.PositiveIntegerField()
    base_url = models.URLField(blank=True)

    class Meta:
        ordering = ["site_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["site", "number"], name="one_instance_per_number"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=2), name="first_instance_is_the_site"
            ),
        ]

    def __str__(self) -> str:
        return f"instance {self.number} of {self.site}"


class Run(models.Model):
    """A series of phases that share one configuration, one seed and one lineage."""

    name = models.CharField(max_length=100, unique=True)
    # Validated by webrl_site.runs.config.RunConfig before it is stored.
    config = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    # Evolved tasks are accepted without review; pages label them so.
    auto_accept = models.BooleanField(default=False)
    # Immutable addresses of the weights that phase 1 starts from.
    policy_uri = models.CharField(max_length=300)
    critic_uri = models.CharField(max_length=300)
    orm_uri = models.CharField(max_length=300)
    # The served model that acts with the weights at policy_uri; empty where this
    # machine acts with them.
    served_uri = models.CharField(max_length=300, blank=True)
    notes = models.TextField(blank=True)
    # Tags, separated by blanks, with a blank at both ends.
    tags = models.CharField(max_length=400, blank=True)
    # Retention never removes the files of its episodes.
    keep_evidence = models.BooleanField(default=False)
    # The run whose settings it was made from.
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def tag_names(self) -> list[str]:
        return self.tags.split()


class Phase(models.Model):
    """One round of the method.

    planned -> baseline -> collecting -> scoring -> training -> handing_over
            -> evaluating -> evolving -> review -> closed

    `handing_over` is for policies that a server acts with; others skip it. Any open
    status may also become `stopped` or `failed`; both keep the status they came from in
    `resume_status` and go back to it on resume. `baseline` measures the first phase's
    starting policy; later phases pass through it because the phase before has already
    measured it.
    """

    class Status(models.TextChoices):
        PLANNED = "planned", gettext_lazy("Planned")
        BASELINE = "baseline", gettext_lazy("Measuring the baseline")
        COLLECTING = "collecting", gettext_lazy("Collecting episodes")
        SCORING = "scoring", gettext_lazy("Scoring trajectories")
        TRAINING = "training", gettext_lazy("Training")
        HANDING_OVER = "handing_over", gettext_lazy("Handing weights over")
        EVALUATING = "evaluating", gettext_lazy("Evaluating")
        EVOLVING = "evolving", gettext_lazy("Evolving tasks")
        REVIEW = "review", gettext_lazy("Waiting for review")
        CLOSED = "closed", gettext_lazy("Closed")
        STOPPED = "stopped", gettext_lazy("Stopped")
        FAILED = "failed", gettext_lazy("Failed")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="phases")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status, default=Status.PLANNED)
    resume_status = models.CharField(max_length=12, choices=Status, blank=True)
    failure_reason = SentenceField(blank=True)
    # Weights this phase collects with; policy_uri is also the KL reference.
    policy_uri = models.CharField(max_length=300)
    critic_uri = models.CharField(max_length=300)
    orm_uri = models.CharField(max_length=300)
    # Weights this phase produced; empty until `training` ends.
    next_policy_uri = models.CharField(max_length=300, blank=True)
    next_critic_uri = models.CharField(max_length=300, blank=True)
    # The served models that act with policy_uri and with next_policy_uri; empty where
    # this machine acts with the weights.
    served_uri = models.CharField(max_length=300, blank=True)
    next_served_uri = models.CharField(max_length=300, blank=True)
    # The reward model of the next phase, where it differs.
    next_orm_uri = models.CharField(max_length=300, blank=True)
    # Fixed when the phase opens, so that a resume sees the same instructions.
    tasks: models.ManyToManyField[Task, Any] = models.ManyToManyField(
        "Task", related_name="phases", blank=True
    )
    # Lease on the stages that a single job runs: scoring, training, evolving.
    work_token = models.CharField(max_length=40, blank=True)
    work_owner = models.CharField(max_length=100, blank=True)
    work_leased_until = models.DateTimeField(null=True, blank=True)
    # How often the stage's worker died.
    work_attempt = models.PositiveIntegerField(default=0)
    # When the stage's jobs were last enqueued; the sweep enqueues again after a while.
    woken_at = models.DateTimeField(null=True, blank=True)
    # A model's endpoint asks not to be called before then (Retry-After), or a full disk
    # is not written to.
    waits_until = models.DateTimeField(null=True, blank=True)
    # When the generator proposed its last task; it then judges those without a verdict,
    # and the critic values them.
    evolved_at = models.DateTimeField(null=True, blank=True)
    # The stage's last progress message, and since when it is unchanged.
    progress_mark = models.CharField(max_length=80, blank=True)
    progressed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)
    stage_started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "number"], name="phase_number_unique"
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=~Q(status="closed"),
                name="one_open_phase_per_run",
            ),
        ]

    def __str__(self) -> str:
        return gettext("%(run)s phase %(number)s") % {
            "run": self.run,
            "number": self.number,
        }

    @property
    def is_open(self) -> bool:
        return self.status != self.Status.CLOSED

    @property
    def is_moving(self) -> bool:
        return self.status not in (
            self.Status.CLOSED,
            self.Status.STOPPED,
            self.Status.FAILED,
        )


class Task(models.Model):
    """Something to do on a site, in WebArena's JSON format.

    proposed -> shortlisted -> accepted | rejected
                            -> disputed -> accepted | rejected
                            -> left (undecided when the review was finished)
             -> filtered (duplicate, leak, infeasible, outside the value band)
    """

    class Split(models.TextChoices):
        TRAIN = "train", gettext_lazy("Train")
        VALIDATION = "validation", gettext_lazy("Validation")
        TEST = "test", gettext_lazy("Test")

    class Origin(models.TextChoices):
        SEED = "seed", gettext_lazy("Seed")
        EVOLVED = "evolved", gettext_lazy("Evolved")
        IMPORTED = "imported", gettext_lazy("Imported")

    class Status(models.TextChoices):
        PROPOSED = "proposed", gettext_lazy("Proposed")
        FILTERED = "filtered", gettext_lazy("Filtered out")
        SHORTLISTED = "shortlisted", gettext_lazy("Waiting for review")
        DISPUTED = "disputed", gettext_lazy("Disputed")
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        REJECTED = "rejected", gettext_lazy("Rejected")
        LEFT = "left", gettext_lazy("Left undecided")

    UNDECIDED = (Status.SHORTLISTED, Status.DISPUTED)
    DECIDED = (Status.ACCEPTED, Status.REJECTED)

    # Stable name from the task file ("shop.train.00012"); makes imports idempotent.
    key = models.CharField(max_length=120, unique=True)
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="tasks")
    instruction = models.TextField()
    start_url = models.CharField(max_length=2000)
    # The whole WebArena task object, evaluators included.
    spec = models.JSONField(default=dict)
    template_key = models.CharField(max_length=80, blank=True, db_index=True)
    split = models.CharField(max_length=10, choices=Split, default=Split.TRAIN)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.SEED)
    status = models.CharField(max_length=12, choices=Status, default=Status.ACCEPTED)
    # SHA-256 of the normalised instruction and start_url; finds duplicates and leaks.
    digest = models.CharField(max_length=64, db_index=True)
    optimal_steps = models.PositiveIntegerField(null=True, blank=True)
    parent = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="children",
    )
    # The phase whose failures this task was evolved from; empty for seeds.
    born_in = models.ForeignKey(
        Phase, null=True, blank=True, on_delete=models.CASCADE, related_name="evolved"
    )
    # Critic's V(initial page, instruction), 0 to 1.
    value_estimate = models.FloatField(null=True, blank=True)
    is_feasible = models.BooleanField(null=True, blank=True)
    feasibility_reason = models.TextField(blank=True)
    filter_reason = SentenceField(blank=True)
    was_auto_accepted = models.BooleanField(default=False)
    # Review lease, checked again when the decision is written.
    lease_token = models.CharField(max_length=40, blank=True)
    leased_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["status", "born_in"]),
            # The desk takes the first waiting task. Without an index of just these, in
            # order, PostgreSQL reads all tasks that were ever made, or sorts.
            models.Index(
                fields=["born_in", "id"],
                condition=Q(status="shortlisted"),
                name="task_waiting",
            ),
            models.Index(fields=["site", "split", "status"]),
            # The desk shows a template's newest accepted tasks next to each task under
            # review. Without this index all of the site's tasks are read.
            models.Index(
                fields=["site", "template_key", "status", "id"],
                name="task_of_template",
            ),
            # Few tasks are leased at a time; every page of the desk counts them.
            models.Index(
                fields=["leased_until"],
                condition=Q(leased_until__isnull=False),
                name="task_leased_until",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(value_estimate__isnull=True)
                | Q(value_estimate__gte=0, value_estimate__lte=1),
                name="task_value_is_a_probability",
            ),
        ]

    def __str__(self) -> str:
        return self.instruction[:80]


class PhaseEvent(models.Model):
    """One line of a phase's history; sockets only announce that a newer id exists."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["phase", "id"])]

    def __str__(self) -> str:
        return f"{self.kind} of phase {self.phase_id}"
