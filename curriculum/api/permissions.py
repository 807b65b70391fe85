"""Roles and scopes as permissions of the REST API.

A person needs the role. A token needs the scope as well: it can never do more
than the person it belongs to.
"""

from __future__ import annotations

from typing import cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.access.scopes import IMPORT, READ, REVIEW, ROLES_OF_SCOPES, RUN, Grant


class CanRead(BasePermission):
    """Tasks, episodes and reviews: every role."""

    scope = READ
    roles = ROLES_OF_SCOPES[READ]

    def has_permission(self, request: Request, view: APIView) -> bool:
        grant = cast("Grant | None", request.auth)
        if grant is not None and not grant.allows(self.scope):
            self.message = f"The token lacks the scope “{self.scope}”."
            return False
        return any(has_role(request.user, role) for role in self.roles)


class CanReadRuns(CanRead):
    """Runs, phases and training: researchers."""

    roles = (ROLE_RESEARCHER,)


class CanReview(CanRead):
    """Decide tasks."""

    scope = REVIEW
    roles = ROLES_OF_SCOPES[REVIEW]


class CanRun(CanRead):
    """Launch and steer."""

    scope = RUN
    roles = ROLES_OF_SCOPES[RUN]


class CanImport(CanRead):
    """Add tasks."""

    scope = IMPORT
    roles = ROLES_OF_SCOPES[IMPORT]
