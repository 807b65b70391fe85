"""REST: who is asking, and what a kind of problem means."""

from __future__ import annotations

from typing import Any, cast

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from curriculum.access.roles import ROLES, has_role
from curriculum.access.scopes import SCOPES, Grant, list_scopes
from curriculum.api.permissions import CanRead
from webrl_site.api.problems import TITLES


class MeSerializer(serializers.Serializer[Any]):
    """The person, their roles, and what this token or session may do at most."""

    username = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    scopes = serializers.ListField(child=serializers.ChoiceField(list(SCOPES)))


class MeView(APIView):
    """Who is asking, and what they may do."""

    permission_classes = [CanRead]

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        grant = cast("Grant | None", request.auth)
        mine = list_scopes(request.user)
        allowed = [name for name in mine if grant is None or grant.allows(name)]
        roles = [role for role in ROLES if has_role(request.user, role)]
        body = {"username": request.user.get_username(), "roles": roles}
        return Response(body | {"scopes": allowed})


class ProblemTypeSerializer(serializers.Serializer[Any]):
    """One kind of problem."""

    type = serializers.CharField()
    title = serializers.CharField()


class ProblemView(APIView):
    """What a problem's `type` means; anybody may ask."""

    permission_classes = [AllowAny]
    authentication_classes = []

    @extend_schema(responses=ProblemTypeSerializer)
    def get(self, request: Request, name: str) -> Response:
        if name not in TITLES:
            raise Http404
        return Response({"type": request.path, "title": TITLES[name]})
