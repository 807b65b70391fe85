"""REST: read trajectories, and the steps of each."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from curriculum.api_permissions import HasRole
from rollouts.forms import TrajectoryFilterForm
from rollouts.models import Step, Trajectory
from rollouts.selectors.pages import filter_trajectories, list_steps


class TrajectorySerializer(serializers.ModelSerializer[Trajectory]):
    """One episode: how it ended, what the evaluators and the reward model say."""

    instruction = serializers.CharField(source="task.instruction")
    site = serializers.CharField(source="task.site.key")

    class Meta:
        model = Trajectory
        fields = [
            "id",
            "phase",
            "task",
            "site",
            "instruction",
            "purpose",
            "repeat",
            "seed",
            "status",
            "attempt",
            "ended_by",
            "answer",
            "step_count",
            "final_url",
            "outcome",
            "success_probability",
            "reward",
            "failure_class",
            "failure_reason",
            "started_at",
            "ended_at",
        ]


class StepSerializer(serializers.ModelSerializer[Step]):
    """One exchange of observation and action."""

    class Meta:
        model = Step
        fields = [
            "id",
            "index",
            "url",
            "title",
            "observation",
            "output",
            "action",
            "error",
            "target_box",
            "snapshot",
            "screenshot",
            "timing",
            "log_probability",
            "token_count",
        ]


class TrajectoryViewSet(ReadOnlyModelViewSet[Trajectory]):
    """Trajectories; filter with the trajectory page's own parameters."""

    permission_classes = [HasRole]
    serializer_class = TrajectorySerializer
    queryset = Trajectory.objects.none()

    def get_queryset(self) -> QuerySet[Trajectory]:
        form = TrajectoryFilterForm(self.request.query_params)
        return filter_trajectories(**form.values())

    @extend_schema(responses=StepSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def steps(self, request: Request, pk: str | None = None) -> Response:
        """Return the steps that count, in order."""
        steps = list_steps(self.get_object())
        return Response(StepSerializer(steps, many=True).data)
