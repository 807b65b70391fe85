"""What people decide about evolved tasks."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from curriculum.desk_models import Guideline, ReviewBatch


class Review(models.Model):
    """A person's decision about one evolved task; undone, never deleted.

    Reviews are votes: a task is decided once its run's number of people have voted. An
    adjudication ends a dispute, regardless of the votes. A decision about a gold item
    does not change the task; it measures the reviewer's accuracy.
    """

    class Kind(models.TextChoices):
        REVIEW = "review", gettext_lazy("Review")
        ADJUDICATION = "adjudication", gettext_lazy("Adjudication")
        GOLD = "gold", gettext_lazy("Gold item")
        BULK = "bulk", gettext_lazy("Bulk decision")

    # Kinds that override the votes.
    FINAL = (Kind.ADJUDICATION, Kind.BULK)
    # Kinds that are taken at the desk, one after another.
    AT_DESK = (Kind.REVIEW, Kind.GOLD)

    class Decision(models.TextChoices):
        ACCEPT = "accept", gettext_lazy("Accept")
        EDIT = "edit", gettext_lazy("Edit and accept")
        REJECT = "reject", gettext_lazy("Reject")
        SKIP = "skip", gettext_lazy("Skip")

    class SkipTo(models.TextChoices):
        LAST = "last", "Back to me, last"
        OTHERS = "others", "To others, soon"
        DROP = "drop", gettext_lazy("Out of my queue")

    class Reason(models.TextChoices):
        INFEASIBLE = "infeasible", gettext_lazy("Infeasible on this site")
        AMBIGUOUS = "ambiguous", gettext_lazy("Ambiguous")
        DUPLICATE = "duplicate", gettext_lazy("Duplicate")
        NEEDS_STATE = (
            "needs_state",
            gettext_lazy("Needs a login or state that is missing"),
        )
        HARMFUL = "harmful", gettext_lazy("Harmful")
        UNVERIFIABLE = "unverifiable", gettext_lazy("Cannot be verified")
        WRONG_SITE = "wrong_site", gettext_lazy("Wrong site")
        WRONG_LEVEL = "wrong_level", gettext_lazy("Too easy or too hard")

    task = models.ForeignKey(
        "curriculum.Task", on_delete=models.CASCADE, related_name="reviews"
    )
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.REVIEW)
    decision = models.CharField(max_length=8, choices=Decision)
    # The decision before the machine's opinion was shown; empty where it was not
    # hidden.
    first_decision = models.CharField(max_length=8, choices=Decision, blank=True)
    original_instruction = models.TextField()
    edited_instruction = models.TextField(blank=True)
    # Who gets a skipped task; empty for other decisions.
    skip_to = models.CharField(max_length=6, choices=SkipTo, blank=True)
    reason = models.CharField(max_length=20, choices=Reason, blank=True)
    note = models.TextField(blank=True)
    batch = models.ForeignKey(
        ReviewBatch,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="reviews",
    )
    # The guidelines that were shown at the decision.
    guideline = models.ForeignKey(
        Guideline,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="reviews",
    )
    seconds_spent = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["task"],
                condition=Q(skip_to="others", undone_at__isnull=True),
                name="review_passed_on",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "reviewer"],
                condition=Q(undone_at__isnull=True, kind__in=["review", "gold"])
                & ~Q(decision="skip"),
                name="one_standing_decision_per_person",
            ),
            models.UniqueConstraint(
                fields=["task"],
                condition=Q(undone_at__isnull=True, kind__in=["adjudication", "bulk"]),
                name="one_standing_final_decision",
            ),
            models.CheckConstraint(
                condition=~Q(decision="reject") | ~Q(reason=""),
                name="rejection_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(skip_to__in=["others", "drop"]) | ~Q(note=""),
                name="skip_for_good_has_a_note",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} of task {self.task_id}"

    @property
    def choice_label(self) -> str:
        """The decision in the words of its button at the desk."""
        if self.skip_to == self.SkipTo.OTHERS:
            return gettext("Leave to others")
        if self.skip_to == self.SkipTo.DROP:
            return gettext("Not for me")
        return str(self.get_decision_display())
