"""Whether there are enough people for the reviews that a run requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext

from curriculum.access.roles import ROLES
from curriculum.errors import WorkbenchError
from curriculum.phase_config import ReviewConfig


def check_team(given: Mapping[str, Any]) -> None:
    """Refuse a run whose reviews could never end; `given` is its review section.

    Raises:
        WorkbenchError: A task would need more people than can review.
    """
    needed = ReviewConfig(**given).reviews_per_task
    can_review = Q(groups__name__in=ROLES) | Q(is_superuser=True)
    people = User.objects.filter(can_review, is_active=True).distinct().count()
    if needed > 1 and needed > people:
        raise WorkbenchError(
            gettext(
                "Each task would wait for %(needed)s people, but only %(people)s "
                "can review. Ask for fewer reviews per task, or give more people a "
                "role."
            )
            % {"needed": needed, "people": people}
        )
