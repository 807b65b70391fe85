"""REST: make a run, with its first phase where that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum.api.permissions import CanRun
from curriculum.api.serializers import RunSerializer
from curriculum.api.views import RunViewSet as ReadableRunViewSet
from curriculum.selectors.pages import list_runs
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.runs.launching import NewRunSerializer, make_run


class RunViewSet(AnswersOnce, ReadableRunViewSet):
    """Runs, newest first."""

    def get_permissions(self) -> Sequence[Any]:
        return [CanRun()] if self.action == "create" else super().get_permissions()

    @extend_schema(request=NewRunSerializer, responses={201: RunSerializer})
    def create(self, request: Request) -> Response:
        """Make a run, and launch it when asked to."""
        form = NewRunSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        run = make_run(dict(form.validated_data), cast(User, request.user))
        body = RunSerializer(list_runs().get(pk=run.pk)).data
        return Response(body, status=status.HTTP_201_CREATED)
