"""REST: saved weights, each with what people taught it."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum.api.serializers import ObjectField
from training.api import CheckpointSerializer
from training.api import CheckpointViewSet as ReadableCheckpointViewSet
from training.models import Checkpoint, SftTraining
from training.selectors.checkpoints import find_sft
from training.selectors.orm_trainings import find_learning
from webrl_site.api.reward_models import LearningSerializer, describe_learning


class SftTrainingSerializer(serializers.ModelSerializer[SftTraining]):
    """One SFT of a policy on kept demonstrations.

    `losses` is the mean of each pass, `trajectories` the demonstrated episodes.
    """

    config = ObjectField()
    provenance = ObjectField()
    losses = serializers.ListField(child=serializers.FloatField())
    trajectories = serializers.PrimaryKeyRelatedField(many=True, read_only=True)  # type: ignore[var-annotated]

    class Meta:
        model = SftTraining
        fields = [
            *("name", "base_uri", "config", "seed", "provenance"),
            *("step_count", "losses", "trajectories"),
        ]


class WholeCheckpointSerializer(CheckpointSerializer):
    """With what a reward model, or a policy, learnt from people; null for others."""

    learning = LearningSerializer(allow_null=True)
    sft = SftTrainingSerializer(allow_null=True)

    class Meta(CheckpointSerializer.Meta):
        fields = [*CheckpointSerializer.Meta.fields, "learning", "sft"]


class CheckpointViewSet(ReadableCheckpointViewSet):
    """Checkpoints, newest first."""

    @extend_schema(responses=WholeCheckpointSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one checkpoint with the verdicts or demonstrations it learnt from."""
        row: Checkpoint = self.get_object()
        learning, sft = find_learning(row.pk), find_sft(row.pk)
        taught = {
            "learning": describe_learning(learning) if learning else None,
            "sft": SftTrainingSerializer(sft).data if sft else None,
        }
        return Response(CheckpointSerializer(row).data | taught)
