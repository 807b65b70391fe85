"""The REST API's root: routes, the schema, and one shape for every error.

Every error is `{"error": {"code": ..., "message": ..., "fields": {...}}}`.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import URLPattern, URLResolver, path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView, exception_handler

from curriculum import services
from curriculum.api import PhaseSerializer, PhaseViewSet, RunViewSet, TaskViewSet
from curriculum.api_permissions import IsResearcher
from curriculum.errors import LeaseLost, NotAllowed, PhaseConflict, WorkbenchError
from curriculum.models import Phase
from rollouts.api import TrajectoryViewSet
from webrl_site.tasks import advance_phase

CONFLICTS = (PhaseConflict, LeaseLost)


def handle_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Give every error the same body; unexpected ones stay unexpected."""
    if isinstance(error, Http404):
        error = NotFound()
    elif isinstance(error, PermissionDenied):
        error = Forbidden()
    elif isinstance(error, WorkbenchError):
        return _answer_workbench_error(error)
    if not isinstance(error, APIException):
        return None
    response = exception_handler(error, context)
    if response is not None:
        response.data = _body(error)
    return response


def _answer_workbench_error(error: WorkbenchError) -> Response:
    code: int = status.HTTP_400_BAD_REQUEST
    if isinstance(error, NotAllowed):
        code = status.HTTP_403_FORBIDDEN
    elif isinstance(error, CONFLICTS):
        code = status.HTTP_409_CONFLICT
    name = type(error).__name__
    body = {"error": {"code": name, "message": error.message, "fields": {}}}
    return Response(body, status=code)


def _body(error: APIException) -> dict[str, Any]:
    if isinstance(error, ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {}
        message = "Some fields are missing or wrong."
    else:
        fields, message = {}, str(error.detail)
    return {"error": {"code": error.default_code, "message": message, "fields": fields}}


class TaskImportSerializer(serializers.Serializer[Any]):
    """Task objects in WebArena's JSON format."""

    tasks = serializers.ListField(child=serializers.JSONField(), allow_empty=False)


class ImportReportSerializer(serializers.Serializer[Any]):
    """How many tasks an import wrote and how many were there already."""

    created = serializers.IntegerField()
    kept = serializers.IntegerField()
    repeated = serializers.IntegerField()
    suite = serializers.CharField()
    sites = serializers.ListField(child=serializers.CharField())


class TaskImportView(APIView):
    """Import tasks: all of them, or none and the first mistake."""

    permission_classes = [IsResearcher]

    @extend_schema(request=TaskImportSerializer, responses=ImportReportSerializer)
    def post(self, request: Request) -> Response:
        form = TaskImportSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        report = services.import_tasks(tasks=form.validated_data["tasks"])
        return Response(ImportReportSerializer(report).data)


class _PhaseAction(APIView):
    """One use case over phases: permission, one service call, one ring."""

    permission_classes = [IsResearcher]

    def answer(self, phase: Phase, code: int = status.HTTP_200_OK) -> Response:
        advance_phase.delay_on_commit(phase.pk)
        return Response(PhaseSerializer(phase).data, status=code)


class OpenPhaseView(_PhaseAction):
    """Launch a run's next phase; 409 while one is open."""

    @extend_schema(request=None, responses={201: PhaseSerializer})
    def post(self, request: Request, run_id: int) -> Response:
        phase = services.open_phase(run_id=run_id, created_by=_user(request))
        return self.answer(phase, status.HTTP_201_CREATED)


class StopPhaseView(_PhaseAction):
    """Stop a phase; it keeps what it has and can resume."""

    @extend_schema(request=None, responses=PhaseSerializer)
    def post(self, request: Request, phase_id: int) -> Response:
        phase = services.stop_phase(phase_id=phase_id, by=_user(request))
        return self.answer(phase)


class ResumePhaseView(_PhaseAction):
    """Resume a stopped or failed phase where it stopped."""

    @extend_schema(request=None, responses=PhaseSerializer)
    def post(self, request: Request, phase_id: int) -> Response:
        phase = services.resume_phase(phase_id=phase_id, by=_user(request))
        return self.answer(phase)


def _user(request: Request) -> Any:
    return request.user


router = SimpleRouter()
router.register("tasks", TaskViewSet, basename="api-task")
router.register("runs", RunViewSet, basename="api-run")
router.register("phases", PhaseViewSet, basename="api-phase")
router.register("trajectories", TrajectoryViewSet, basename="api-trajectory")

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("tasks/import/", TaskImportView.as_view(), name="api-task-import"),
    path("runs/<int:run_id>/phases/", OpenPhaseView.as_view(), name="api-open-phase"),
    path("phases/<int:phase_id>/stop/", StopPhaseView.as_view(), name="api-stop-phase"),
    path(
        "phases/<int:phase_id>/resume/",
        ResumePhaseView.as_view(),
        name="api-resume-phase",
    ),
    *router.urls,
]
