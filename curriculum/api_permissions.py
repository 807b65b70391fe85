"""Roles as permissions of the REST API."""

from __future__ import annotations

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from curriculum.roles import ROLE_RESEARCHER, has_any_role, has_role


class HasRole(BasePermission):
    """Any role."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return has_any_role(request.user)


class IsResearcher(BasePermission):
    """Researchers and admins."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return has_role(request.user, ROLE_RESEARCHER)
