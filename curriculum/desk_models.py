"""What the review desk keeps beside the decisions themselves."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class FirstLook(models.Model):
    """What a person decided before they saw what the machine thinks; never changed."""

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
