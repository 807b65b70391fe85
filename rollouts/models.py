"""Trajectories, their steps, and what people say and make of them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, pgettext_lazy

from curriculum.models import Phase, Task
from curriculum.texts.sentence_field import SentenceField
from rollouts.evidence_models import EvidenceKind, EvidenceUse, RemovedEvidence
from rollouts.instances.instance_models import InstanceCheck, SiteCondition
from rollouts.serving.hand_over_model import HandOver

__all__ = [
    "STAGE_PURPOSES",
    "EvidenceKind",
    "EvidenceUse",
    "HandOver",
    "HumanVerdict",
    "InstanceCheck",
    "RemovedEvidence",
    "SiteCondition",
    "Step",
    "Takeover",
    "Trajectory",
]


# Used to find the other rows that name a file; most rows have no picture.
def _named(field: str) -> models.Index:
    return models.Index(fields=[field], name=f"by_{field}", condition=~Q(**{field: ""}))


# Counts the files of a kind by run and by age. The field itself is included for SQLite,
# which would read each row for it.
def _counted(field: str) -> models.Index:
    return models.Index(
        fields=["phase", "status", "ended_at", field],
        name=f"count_of_{field}",
        condition=~Q(**{field: ""}),
        include=["id"],
    )


class Trajectory(models.Model):
    """The record of one episode.

    queued -> running -> finished
                      -> failed (site or harness error, after the last retry)
    running -> queued when its lease ends without a heartbeat.

    Every claim raises `attempt`, the fencing number: a write that carries an
    older attempt changes nothing. The steps that count are those of the current
    attempt; older ones are kept and superseded.
    """

    class Purpose(models.TextChoices):
        BASELINE = "baseline", pgettext_lazy("moment", "Start")
        COLLECT = "collect", gettext_lazy("Training")
        EVALUATE = "evaluate", gettext_lazy("Evaluation")
        # Made by a person in a takeover; no stage of a phase counts it or trains on it.
        BY_HAND = "by_hand", gettext_lazy("By hand")

    class Status(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Queued")
        RUNNING = "running", gettext_lazy("Running")
        FINISHED = "finished", gettext_lazy("Finished")
        FAILED = "failed", gettext_lazy("Failed")

    class EndedBy(models.TextChoices):
        EXIT = "exit", gettext_lazy("The agent stopped")
        PAGE = "page", gettext_lazy("The page ended it")
        SOLVED = "solved", gettext_lazy("The evaluators ended it")
        STEP_LIMIT = "step_limit", gettext_lazy("Step limit")
        TIME_LIMIT = "time_limit", gettext_lazy("Time limit")
        REPEATED = "repeated", gettext_lazy("Same action again and again")
        INVALID = "invalid", gettext_lazy("Too many invalid actions")
        LEFT = "left", gettext_lazy("The person left")

    class ErrorType(models.TextChoices):
        # The rules that name them are in rollouts/rules/error_types.py.
        NO_RECOVERY = "no_recovery", gettext_lazy("Fails to recover")
        STUCK = "stuck", gettext_lazy("Stuck midway")
        WRONG_STOP = "wrong_stop", gettext_lazy("Stops at the wrong page")
        NO_ATTEMPT = "no_attempt", gettext_lazy("No reasonable attempt")

    phase = models.ForeignKey(
        Phase, on_delete=models.CASCADE, related_name="trajectories"
    )
    task = models.ForeignKey(
        Task, on_delete=models.PROTECT, related_name="trajectories"
    )
    purpose = models.CharField(max_length=10, choices=Purpose)
    repeat = models.PositiveIntegerField(default=0)
    seed = models.PositiveBigIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    # The instance of each external site that the attempt uses: {"reddit": 2}.
    site_instances = models.JSONField(default=dict, blank=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    # What acts in the attempt: the served model or the checkpoint, and the digest of
    # the weights; "" where only a server knows them.
    acted_by = models.CharField(max_length=300, blank=True)
    acted_digest = models.CharField(max_length=64, blank=True)
    # How many owners stopped renewing the lease and did not come back.
    lost_leases = models.PositiveIntegerField(default=0)
    # How many attempts ended because the model's endpoint did not answer.
    outages = models.PositiveIntegerField(default=0)
    # How many failed for another reason; attempts that were given back do not count.
    failures = models.PositiveIntegerField(default=0, db_default=0)
    ended_by = models.CharField(max_length=12, choices=EndedBy, blank=True)
    answer = models.TextField(blank=True)
    step_count = models.PositiveIntegerField(default=0)
    # The last page as the policy would have read it: the only page that the ORM reads.
    final_observation = models.TextField(blank=True)
    final_url = models.TextField(blank=True)
    final_snapshot = models.CharField(max_length=64, blank=True)
    final_screenshot = models.CharField(max_length=64, blank=True)
    # Playwright's trace of the attempt, where one was kept.
    trace = models.CharField(max_length=64, blank=True)
    # What the attempt's pages tried to reach outside the task's sites: objects with
    # host, port, kind and count (rollouts/browser/types.py, RefusedAttempt).
    refused_attempts = models.JSONField(default=list, blank=True)
    # The evaluators' outcome; empty where a task has no evaluators.
    outcome = models.BooleanField(null=True, blank=True)
    outcome_checks = models.JSONField(default=list, blank=True)
    # Of episodes that the evaluators failed: set by rules, or corrected by a person.
    error_type = models.CharField(max_length=12, choices=ErrorType, blank=True)
    error_type_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    # The ORM: P(YES), and the reward it gives (1 if P(YES) > P(NO), else 0).
    success_probability = models.FloatField(null=True, blank=True)
    reward = models.FloatField(null=True, blank=True)
    failure_class = models.CharField(max_length=10, blank=True)
    failure_reason = SentenceField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "trajectories"
        ordering = ["id"]
        indexes = [
            # Includes every column that counting by phase reads: rows are long, pages
            # count often.
            models.Index(
                fields=[
                    *("phase", "purpose", "status", "outcome", "reward", "task"),
                    *("ended_by", "success_probability"),
                ],
                name="trajectory_counts",
            ),
            # The same for lists that are filtered by task.
            models.Index(
                fields=["task", "status", "outcome", "reward"],
                name="trajectory_of_tasks",
            ),
            # Finds the oldest queued episodes, regardless of how many have ended before
            # them.
            models.Index(
                fields=["phase", "purpose", "id"],
                name="trajectory_queue",
                condition=Q(status="queued"),
            ),
            models.Index(
                fields=["phase", "purpose", "error_type"],
                name="trajectory_error_types",
                condition=~Q(error_type=""),
            ),
            _named("final_screenshot"),
            _named("final_snapshot"),
            _named("trace"),
            *map(_counted, ("final_screenshot", "final_snapshot", "trace")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "task", "purpose", "repeat"],
                name="one_trajectory_per_attempted_task",
            ),
            models.CheckConstraint(
                condition=Q(success_probability__isnull=True)
                | Q(success_probability__gte=0, success_probability__lte=1),
                name="success_probability_is_a_probability",
            ),
            models.CheckConstraint(
                condition=~Q(status="finished") | ~Q(ended_by=""),
                name="finished_trajectory_says_how",
            ),
        ]

    def __str__(self) -> str:
        return f"trajectory {self.pk} ({self.purpose})"


# The purpose of a stage's episodes; stages that are not listed have no episodes.
STAGE_PURPOSES: dict[str, Trajectory.Purpose] = {
    Phase.Status.BASELINE: Trajectory.Purpose.BASELINE,
    Phase.Status.COLLECTING: Trajectory.Purpose.COLLECT,
    Phase.Status.EVALUATING: Trajectory.Purpose.EVALUATE,
}


class Step(models.Model):
    """One exchange of observation and action, `index` 0 to step_count - 1."""

    trajectory = models.ForeignKey(
        Trajectory, on_delete=models.CASCADE, related_name="steps"
    )
    attempt = models.PositiveIntegerField()
    index = models.PositiveIntegerField()
    url = models.TextField(blank=True)
    title = models.TextField(blank=True)
    # The simplified HTML that the policy read.
    observation = models.TextField()
    # The policy's answer, word for word.
    output = models.TextField()
    # Parsed action: {"name": "Click", "element": 12, "argument": ""}; empty if invalid.
    action = models.JSONField(default=dict)
    # Why the action could not be carried out, or its result (`is_failure` distinguishes
    # the two); also shown to the agent.
    error = models.TextField(blank=True)
    # Target box in CSS pixels of the viewport: [x, y, width, height], or empty.
    target_box = models.JSONField(default=list, blank=True)
    snapshot = models.CharField(max_length=64, blank=True)
    screenshot = models.CharField(max_length=64, blank=True)
    # Milliseconds: {"observe": .., "policy": .., "act": .., "settle": ..}.
    timing = models.JSONField(default=dict, blank=True)
    # Sum of the output's token log-probabilities when it was sampled.
    log_probability = models.FloatField(null=True, blank=True)
    token_count = models.PositiveIntegerField(null=True, blank=True)
    # Tokens of the prompt, as counted by a server that bills them.
    prompt_token_count = models.PositiveIntegerField(null=True, blank=True)
    # The sampled tokens, which training uses as they are, and the log-probability of
    # each; empty where the policy gives only its text.
    token_ids = models.JSONField(default=list, blank=True)
    token_log_probabilities = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["trajectory_id", "attempt", "index"]
        indexes = [_named("snapshot"), _named("screenshot")]
        constraints = [
            models.UniqueConstraint(
                fields=["trajectory", "attempt", "index"], name="step_index_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"step {self.index} of trajectory {self.trajectory_id}"


class HumanVerdict(models.Model):
    """What a person says of an episode.

    Rows are added and never changed: who thinks again says so again, and the newest
    of each person counts. Who takes a verdict back adds a row that says so: they
    count as one who said nothing.
    """

    # Offered by no form; the newest row of a person who took a verdict back has it.
    TAKEN_BACK = "none"

    class Verdict(models.TextChoices):
        SUCCESS = "success", gettext_lazy("Success")
        FAILURE = "failure", gettext_lazy("Failure")
        UNCLEAR = "unclear", gettext_lazy("Cannot tell")

    trajectory = models.ForeignKey(
        Trajectory, on_delete=models.CASCADE, related_name="human_verdicts"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    verdict = models.CharField(max_length=7, choices=Verdict)
    note = models.TextField(blank=True)
    # Given on a page that had not shown the machines' and other people's verdicts.
    is_blind = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=["success", "failure", "unclear", "none"]),
                name="human_verdict_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by person {self.author_id}"


class Takeover(models.Model):
    """A takeover: a person continues an episode by hand from one of its steps.

    In addition to the new trajectory: the person, the starting point, and the data that
    page and worker exchange. The page writes `wanted`; the worker that holds the
    browser carries it out, records the step, writes `page` and empties `wanted`.
    """

    trajectory = models.OneToOneField(
        Trajectory, on_delete=models.CASCADE, related_name="takeover"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    forked_from = models.ForeignKey(
        Trajectory, on_delete=models.CASCADE, related_name="takeovers"
    )
    # How many of its steps were carried out again: the person's first has this index.
    forked_at = models.PositiveIntegerField()
    # An action line for step `steps_done`, "" when nothing is asked.
    wanted = models.TextField(blank=True)
    is_leaving = models.BooleanField(default=False)
    steps_done = models.PositiveIntegerField(default=0)
    # What the browser shows: url, title, text, error, picture, elements.
    page = models.JSONField(default=dict, blank=True)
    # The browser is closed then, unless another action comes.
    deadline = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    # When its success was kept as a demonstration.
    kept_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["author"],
                condition=Q(closed_at=None),
                name="one_open_takeover_per_person",
            ),
            models.CheckConstraint(
                condition=Q(kept_at=None) | Q(closed_at__isnull=False),
                name="kept_takeover_is_closed",
            ),
        ]

    def __str__(self) -> str:
        return f"takeover {self.pk} of step {self.forked_at + 1}"
