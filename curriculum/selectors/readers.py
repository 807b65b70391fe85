"""The reader and the reviews of open phases, which decide what is hidden."""

from __future__ import annotations

from typing import TypeAlias

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.models import Phase
from curriculum.phase_config import ReviewConfig

# The user who reads; None for a program with access to the database itself.
Reader: TypeAlias = AbstractBaseUser | AnonymousUser | None


def sees_all(reader: Reader) -> bool:
    return reader is None or has_role(reader, ROLE_RESEARCHER)


def read_open_reviews() -> dict[int, ReviewConfig]:
    """Return how each phase that is not closed reviews, by its id."""
    phases = Phase.objects.exclude(status=Phase.Status.CLOSED).order_by()
    rows = phases.values_list("pk", "run__config")
    return {pk: ReviewConfig(**config.get("review", {})) for pk, config in rows}
