"""REST: read trajectories, and the steps of each."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.viewsets import GenericViewSet

from curriculum.api.filters import Filters, PageFilters, read_filters
from curriculum.api.paging import KeyPagination
from curriculum.api.permissions import CanRead
from curriculum.api.read_views import ReadViewSet
from curriculum.api.serializers import ListOfJSONField, ObjectField
from curriculum.forms import FilterForm
from rollouts.forms import TrajectoryFilterForm
from rollouts.models import Step, Trajectory
from rollouts.selectors.pages import filter_trajectories, trajectories_in_full


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
            "acted_by",
            "acted_digest",
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


class WholeTrajectorySerializer(TrajectorySerializer):
    """With the last page, the evaluators' checks, and what pages tried to reach.

    Snapshots and screenshots are named by their SHA-256: `/recorded/DIGEST.html`
    and `.jpg` at the origin of recorded pages, read with the same token.
    """

    outcome_checks = ListOfJSONField()
    refused_attempts = ListOfJSONField()

    class Meta(TrajectorySerializer.Meta):
        fields = [
            *TrajectorySerializer.Meta.fields,
            "outcome_checks",
            "refused_attempts",
            "final_observation",
            "final_snapshot",
            "final_screenshot",
        ]


@extend_schema_field(
    {"type": "array", "items": {"type": "number"}, "description": "x, y, width, height"}
)
class BoxField(serializers.JSONField):
    """A rectangle in CSS pixels, or an empty list."""


class StepSerializer(serializers.ModelSerializer[Step]):
    """One exchange of observation and action; `timing` is in milliseconds."""

    action = ObjectField()
    timing = ObjectField()
    target_box = BoxField()

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
            "prompt_token_count",
        ]


class TrajectoryViewSet(ReadViewSet[Trajectory]):
    """Trajectories, newest first; filter with the trajectory page's own parameters."""

    permission_classes = [CanRead]
    queryset = Trajectory.objects.none()
    filter_form = TrajectoryFilterForm

    def get_serializer_class(self) -> type[TrajectorySerializer]:
        is_list = self.action == "list"
        return TrajectorySerializer if is_list else WholeTrajectorySerializer

    def select(self, filters: Filters) -> QuerySet[Trajectory]:
        if self.action == "list":
            return filter_trajectories(**filters)
        return trajectories_in_full()


class StepViewSet(ListModelMixin, GenericViewSet[Step]):
    """The steps of one trajectory that count, in order."""

    permission_classes = [CanRead]
    serializer_class = StepSerializer
    queryset = Step.objects.none()
    filter_backends = [PageFilters]
    pagination_class = KeyPagination
    paging_key = "index"

    def get_queryset(self) -> QuerySet[Step]:
        read_filters(self.request.query_params, FilterForm)
        trajectory = get_object_or_404(
            Trajectory.objects.only("attempt"), pk=self.kwargs["trajectory_id"]
        )
        return trajectory.steps.filter(attempt=trajectory.attempt)
