"""REST: read training runs, metrics and checkpoints."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from curriculum.api.filters import Filters
from curriculum.api.permissions import CanReadRuns
from curriculum.api.read_views import ReadViewSet
from curriculum.api.serializers import ObjectField
from training.forms import CheckpointFilterForm, MetricFilterForm, TrainingRunFilterForm
from training.models import Checkpoint, Metric, TrainingRun
from training.selectors import resources
from training.selectors.pages import count_experiences


class CheckpointSerializer(serializers.ModelSerializer[Checkpoint]):
    """Saved weights: their address, and the digest that keeps it honest."""

    class Meta:
        model = Checkpoint
        fields = [
            "id",
            "training_run",
            "kind",
            "uri",
            "digest",
            "parameter_count",
            "parent",
            "created_at",
        ]


class MetricSerializer(serializers.ModelSerializer[Metric]):
    """One number of one training run at one optimiser step."""

    phase = serializers.IntegerField(source="training_run.phase_id")

    class Meta:
        model = Metric
        fields = ["id", "training_run", "phase", "name", "step", "value"]


class TrainingRunSerializer(serializers.ModelSerializer[TrainingRun]):
    """One critic-then-policy training: configuration, provenance, progress."""

    config = ObjectField()
    provenance = ObjectField()
    progress = ObjectField()

    class Meta:
        model = TrainingRun
        fields = [
            "id",
            "phase",
            "status",
            "config",
            "seed",
            "provenance",
            "progress",
            "failure_reason",
            "heartbeat_at",
            "started_at",
            "ended_at",
        ]


class ExperienceCountSerializer(serializers.Serializer[Any]):
    """How many steps of one source were used, or left out for one reason."""

    source = serializers.CharField()  # type: ignore[assignment]
    was_used = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField()


class WholeTrainingRunSerializer(TrainingRunSerializer):
    """With what became of the steps, and the weights that came out."""

    experience = serializers.SerializerMethodField()
    checkpoints = CheckpointSerializer(many=True)

    class Meta(TrainingRunSerializer.Meta):
        fields = [*TrainingRunSerializer.Meta.fields, "experience", "checkpoints"]

    @extend_schema_field(ExperienceCountSerializer(many=True))
    def get_experience(self, run: TrainingRun) -> list[dict[str, Any]]:
        return [dataclasses.asdict(row) for row in count_experiences(run.pk)]


class TrainingRunViewSet(ReadViewSet[TrainingRun]):
    """Training runs, newest first."""

    permission_classes = [CanReadRuns]
    queryset = TrainingRun.objects.none()
    filter_form = TrainingRunFilterForm

    def get_serializer_class(self) -> type[TrainingRunSerializer]:
        is_list = self.action == "list"
        return TrainingRunSerializer if is_list else WholeTrainingRunSerializer

    def select(self, filters: Filters) -> QuerySet[TrainingRun]:
        return resources.filter_training_runs(**filters)


class MetricViewSet(ReadViewSet[Metric]):
    """Numbers of training runs, in the order in which they were written down."""

    permission_classes = [CanReadRuns]
    serializer_class = MetricSerializer
    queryset = Metric.objects.none()
    filter_form = MetricFilterForm
    paging_key = "id"

    def select(self, filters: Filters) -> QuerySet[Metric]:
        return resources.filter_metrics(**filters)


class CheckpointViewSet(ReadViewSet[Checkpoint]):
    """Checkpoints, newest first."""

    permission_classes = [CanReadRuns]
    serializer_class = CheckpointSerializer
    queryset = Checkpoint.objects.none()
    filter_form = CheckpointFilterForm

    def select(self, filters: Filters) -> QuerySet[Checkpoint]:
        return resources.filter_checkpoints(**filters)
