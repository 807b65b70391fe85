"""Roles and scopes as permissions of the REST API.

A person needs the role. A token needs the scope as well: it can never do more
than the person it belongs to.
"""

from __future__ import annotations

from typing import Protocol, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role

READ, REVIEW, RUN, IMPORT = "read", "review", "run", "import"
SCOPES = {
    READ: "Read and export what the person may see",
    REVIEW: "Reserve and decide tasks that wait for review",
    RUN: "Launch runs; open, stop and resume phases; finish their reviews",
    IMPORT: "Import tasks",
}


class Grant(Protocol):
    """What a token says of itself; a session has none and is not limited."""

    def allows(self, scope: str) -> bool:
        """Say whether the token was given this scope."""
        ...


class _Permission(BasePermission):
    """One of `roles`, and the scope where a token is used."""

    roles: tuple[str, ...] = (ROLE_RESEARCHER,)
    scope = READ

    def has_permission(self, request: Request, view: APIView) -> bool:
        grant = cast("Grant | None", request.auth)
        if grant is not None and not grant.allows(self.scope):
            self.message = f"The token lacks the scope “{self.scope}”."
            return False
        return any(has_role(request.user, role) for role in self.roles)


class CanRead(_Permission):
    """Tasks, episodes and reviews: every role."""

    roles = (ROLE_ANNOTATOR, ROLE_RESEARCHER)


class CanReadRuns(_Permission):
    """Runs, phases and training: researchers."""


class CanReview(_Permission):
    """Decide tasks."""

    roles = (ROLE_ANNOTATOR, ROLE_RESEARCHER)
    scope = REVIEW


class CanRun(_Permission):
    """Launch and steer."""

    scope = RUN


class CanImport(_Permission):
    """Add tasks."""

    scope = IMPORT
