"""REST: what reward models learnt from people, and how well they judge since."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.viewsets import GenericViewSet

from curriculum.api.filters import PageFilters, read_filters
from curriculum.api.paging import KeyPagination
from curriculum.api.permissions import CanReadRuns
from training.forms import OrmExampleFilterForm
from training.models import Checkpoint, OrmExample
from training.selectors.orm_trainings import (
    HeldOut,
    Judge,
    Learning,
    filter_examples,
)
from webrl_site.statistics import wilson


class ShareSerializer(serializers.Serializer[Any]):
    """Right verdicts out of n, with the share's 95 % interval."""

    n = serializers.IntegerField()
    successes = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class HeldOutSerializer(serializers.Serializer[Any]):
    """Accuracy on held-out episodes of one site, "" for all, against people."""

    site = serializers.CharField(allow_blank=True)
    before = ShareSerializer()
    after = ShareSerializer()


class TaughtSerializer(serializers.Serializer[Any]):
    """Episodes of one source, learnt from or held out; what evaluators say of them."""

    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=OrmExample.Source.choices
    )
    is_held_out = serializers.BooleanField()
    episodes = serializers.IntegerField()
    tasks = serializers.IntegerField()
    evaluated = serializers.IntegerField()
    agreed = serializers.IntegerField()
    became_right = serializers.IntegerField()
    became_wrong = serializers.IntegerField()


class LearningSerializer(serializers.Serializer[Any]):
    """One training of a reward model on people's verdicts."""

    name = serializers.CharField()
    phase = serializers.IntegerField(allow_null=True)
    base_uri = serializers.CharField()
    seed = serializers.IntegerField()
    people = serializers.IntegerField()
    verdicts = serializers.IntegerField()
    accuracy = HeldOutSerializer(many=True)
    rows = TaughtSerializer(many=True)


class JudgeSerializer(serializers.Serializer[Any]):
    """The reward model of a phase; accuracy where it learnt from people."""

    uri = serializers.CharField()
    checkpoint = serializers.IntegerField(allow_null=True)
    started_from = serializers.IntegerField(allow_null=True)
    accuracy = HeldOutSerializer(allow_null=True)


class OrmExampleSerializer(serializers.ModelSerializer[OrmExample]):
    """One episode that a reward model learnt from, or was measured on.

    `is_success` is the right word; `before` and `after` are P(YES), held-out alone.
    """

    verdicts = serializers.PrimaryKeyRelatedField(many=True, read_only=True)  # type: ignore[var-annotated]

    class Meta:
        model = OrmExample
        fields = [
            *("id", "trajectory", "source", "is_success", "is_held_out"),
            *("before", "after", "verdicts"),
        ]


class OrmExampleViewSet(ListModelMixin, GenericViewSet[OrmExample]):
    """The episodes that a reward model learnt from or was measured on, newest first."""

    permission_classes = [CanReadRuns]
    serializer_class = OrmExampleSerializer
    queryset = OrmExample.objects.none()
    filter_backends = [PageFilters]
    pagination_class = KeyPagination
    filter_form = OrmExampleFilterForm
    paging_key = "-id"

    def get_queryset(self) -> QuerySet[OrmExample]:
        filters = read_filters(self.request.query_params, OrmExampleFilterForm)
        row = get_object_or_404(Checkpoint, pk=self.kwargs["checkpoint_id"])
        return filter_examples(checkpoint_id=row.pk, **filters)


def describe_judge(judge: Judge | None) -> dict[str, Any] | None:
    """Return what `JudgeSerializer` says."""
    if judge is None:
        return None
    return {
        "uri": judge.uri,
        "checkpoint": judge.checkpoint_id,
        "started_from": judge.parent_id,
        "accuracy": _describe_held_out(judge.held_out) if judge.held_out else None,
    }


def describe_learning(learning: Learning) -> dict[str, Any]:
    """Return what `LearningSerializer` says."""
    training = learning.training
    return {
        "name": training.name,
        "phase": training.phase_id,
        "base_uri": training.base_uri,
        "seed": training.seed,
        "people": learning.people,
        "verdicts": learning.verdicts,
        "accuracy": [_describe_held_out(one) for one in learning.held_out],
        "rows": [dataclasses.asdict(row) for row in learning.rows],
    }


def _describe_held_out(one: HeldOut) -> dict[str, Any]:
    return {
        "site": one.site,
        "before": dataclasses.asdict(wilson(one.before, one.n, tasks=one.tasks)),
        "after": dataclasses.asdict(wilson(one.after, one.n, tasks=one.tasks)),
    }
