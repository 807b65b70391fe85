"""REST: one phase with its counts and stages; open, stop, resume, finish its review."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum import services
from curriculum.api.permissions import CanRun
from curriculum.api.serializers import PhaseSerializer
from curriculum.api.views import PhaseViewSet as ReadablePhaseViewSet
from curriculum.models import Phase, Run
from rollouts.selectors.pages import PurposeCounts, count_by_purpose
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.api.reward_models import JudgeSerializer, describe_judge
from webrl_site.launch.readiness import require_fit_sites
from webrl_site.loop.wakeups import advance_after_commit
from webrl_site.phases.page import describe_phase, find_phase
from webrl_site.statistics import wilson


class StageSerializer(serializers.Serializer[Any]):
    """One stage of a phase, with how far it is."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    state = serializers.ChoiceField(
        choices=["done", "current", "waiting", "passed", "stopped", "failed"]
    )
    done = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)
    unit = serializers.CharField(allow_blank=True)
    per_minute = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True)


class CountsSerializer(serializers.Serializer[Any]):
    """Episodes of one purpose; success by the evaluators, with its 95 % interval.

    `rewarded_alone` are those of the rewarded that no evaluator has judged. The
    interval is that of `judged_tasks`, since attempts of one task are not independent.
    """

    total = serializers.IntegerField()
    ended = serializers.IntegerField()
    failed = serializers.IntegerField()
    running = serializers.IntegerField()
    scored = serializers.IntegerField()
    judged = serializers.IntegerField()
    successes = serializers.IntegerField()
    rewarded = serializers.IntegerField()
    rewarded_alone = serializers.IntegerField()
    judged_tasks = serializers.IntegerField()
    success_rate = serializers.FloatField(allow_null=True)
    success_low = serializers.FloatField(allow_null=True)
    success_high = serializers.FloatField(allow_null=True)


class WholePhaseSerializer(PhaseSerializer):
    """One phase with its stages and counts."""

    stages = StageSerializer(many=True)
    counts = serializers.DictField(child=CountsSerializer())
    evolved = serializers.DictField(child=serializers.IntegerField())
    # Which scores this phase's episodes, and which the next one's, once chosen.
    reward_model = JudgeSerializer()
    next_reward_model = JudgeSerializer(allow_null=True)

    class Meta(PhaseSerializer.Meta):
        fields = [
            *PhaseSerializer.Meta.fields,
            *("stages", "counts", "evolved", "reward_model", "next_reward_model"),
        ]


class PhaseViewSet(ReadablePhaseViewSet):
    """Phases, newest first."""

    @extend_schema(responses=WholePhaseSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Return one phase with its stages, its counts and what evolved from it."""
        phase = find_phase(int(pk))
        return Response(PhaseSerializer(phase).data | _describe(phase))


def _describe(phase: Phase) -> dict[str, Any]:
    shown = describe_phase(phase)
    return {
        "stages": StageSerializer(shown["stages"], many=True).data,
        "counts": {
            purpose: _describe_counts(row)
            for (_, purpose), row in count_by_purpose([phase.pk]).items()
        },
        "evolved": shown["evolved"],
        "reward_model": describe_judge(shown["judges"]["now"]),
        "next_reward_model": describe_judge(shown["judges"]["next"]),
    }


def _describe_counts(row: PurposeCounts) -> dict[str, Any]:
    rate = wilson(row.successes, row.judged, tasks=row.judged_tasks)
    return dataclasses.asdict(row) | {
        "success_rate": rate.rate,
        "success_low": rate.low,
        "success_high": rate.high,
    }


class _PhaseAction(AnswersOnce):
    """One use case over phases: permission, one service call, one wake-up."""

    permission_classes = [CanRun]

    def answer(self, phase_id: int, code: int = status.HTTP_200_OK) -> Response:
        advance_after_commit(phase_id)
        phase = Phase.objects.get(pk=phase_id)
        return Response(PhaseSerializer(phase).data, status=code)


class OpenPhaseView(_PhaseAction):
    """Open a run's next phase; 409 while one is open, with its `phase_id`."""

    @extend_schema(request=None, responses={201: PhaseSerializer})
    def post(self, request: Request, run_id: int) -> Response:
        get_object_or_404(Run, pk=run_id)
        require_fit_sites(run_id)
        phase = services.open_phase(run_id=run_id, created_by=_user(request))
        return self.answer(phase.pk, status.HTTP_201_CREATED)


class StopPhaseView(_PhaseAction):
    """Stop a phase; it keeps what it has and can resume."""

    @extend_schema(request=None, responses=PhaseSerializer)
    def post(self, request: Request, phase_id: int) -> Response:
        find_phase(phase_id)
        services.stop_phase(phase_id=phase_id, by=_user(request))
        return self.answer(phase_id)


class ResumePhaseView(_PhaseAction):
    """Resume a stopped or failed phase where it stopped."""

    @extend_schema(request=None, responses=PhaseSerializer)
    def post(self, request: Request, phase_id: int) -> Response:
        find_phase(phase_id)
        services.resume_phase(phase_id=phase_id, by=_user(request))
        return self.answer(phase_id)


class FinishReviewView(_PhaseAction):
    """Set aside what is left undecided, and let the phase go on."""

    @extend_schema(request=None, responses=PhaseSerializer)
    def post(self, request: Request, phase_id: int) -> Response:
        find_phase(phase_id)
        services.finish_review(phase_id=phase_id, by=_user(request))
        return self.answer(phase_id)


def _user(request: Request) -> User:
    return cast(User, request.user)
