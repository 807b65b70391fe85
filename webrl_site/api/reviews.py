"""REST: reserve a task for review, keep it, decide it, take a decision back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from curriculum import services
from curriculum.api.permissions import CanReview
from curriculum.api.serializers import (
    ClaimSerializer,
    ReviewSerializer,
    TaskSerializer,
)
from curriculum.api.views import ReviewViewSet as ReadableReviewViewSet
from curriculum.models import Review, Task
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.tasks import advance_phase

HIGHEST_ID = 2**63 - 1


class ClaimRequestSerializer(serializers.Serializer[Any]):
    """Which phase's tasks; without one, any that is in review."""

    phase = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=HIGHEST_ID
    )


class LeaseSerializer(serializers.Serializer[Any]):
    """A reservation: the task, and the token that came with it."""

    task = serializers.IntegerField(min_value=1, max_value=HIGHEST_ID)
    token = serializers.CharField(max_length=40)


class RenewedSerializer(serializers.Serializer[Any]):
    """Until when a reservation holds now."""

    leased_until = serializers.DateTimeField(allow_null=True)


class DecisionSerializer(LeaseSerializer):
    """One decision; an edit brings its text, a rejection its reason."""

    decision = serializers.ChoiceField(choices=Review.Decision.choices)
    edited_instruction = serializers.CharField(
        required=False, allow_blank=True, max_length=4000
    )
    reason = serializers.ChoiceField(
        choices=Review.Reason.choices, required=False, allow_blank=True
    )
    note = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    seconds_spent = serializers.FloatField(
        required=False, allow_null=True, min_value=0, max_value=86_400
    )


class ReviewViewSet(AnswersOnce, ReadableReviewViewSet):
    """Decisions about evolved tasks, newest first, undone ones included."""

    def get_permissions(self) -> Sequence[Any]:
        return [CanReview()] if self.action == "create" else super().get_permissions()

    @extend_schema(request=DecisionSerializer, responses={201: ReviewSerializer})
    def create(self, request: Request) -> Response:
        """Decide a reserved task; 409 when the reservation is lost."""
        values = _read(DecisionSerializer, request)
        task = values.pop("task")
        review = services.decide_review(
            task_id=task, reviewer=_reviewer(request), **values
        )
        _ring(review.task)
        body = ReviewSerializer(review).data
        return Response(body, status=status.HTTP_201_CREATED)


class ClaimReviewView(AnswersOnce):
    """Reserve the next task; 204 when nothing waits."""

    permission_classes = [CanReview]

    @extend_schema(
        request=ClaimRequestSerializer,
        responses={200: ClaimSerializer, 204: OpenApiResponse(None, "Nothing waits.")},
    )
    def post(self, request: Request) -> Response:
        phase_id = _read(ClaimRequestSerializer, request).get("phase")
        task = services.claim_review(reviewer=_reviewer(request), phase_id=phase_id)
        if task is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(ClaimSerializer(task).data)


class RenewReviewView(AnswersOnce):
    """Keep a reservation while somebody reads; 409 when it is lost."""

    permission_classes = [CanReview]

    @extend_schema(request=LeaseSerializer, responses=RenewedSerializer)
    def post(self, request: Request) -> Response:
        values = _read(LeaseSerializer, request)
        services.renew_review_lease(
            task_id=values["task"], token=values["token"], reviewer=_reviewer(request)
        )
        task = Task.objects.only("leased_until").get(pk=values["task"])
        return Response(RenewedSerializer(task).data)


class UndoReviewView(AnswersOnce):
    """Take one's own decision back while the phase is in review."""

    permission_classes = [CanReview]

    @extend_schema(request=None, responses=TaskSerializer)
    def post(self, request: Request, review_id: int) -> Response:
        get_object_or_404(Review, pk=review_id)
        task = services.undo_review(review_id=review_id, reviewer=_reviewer(request))
        _ring(task)
        return Response(TaskSerializer(task).data)


def _read(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    form = kind(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def _reviewer(request: Request) -> User:
    return cast(User, request.user)


def _ring(task: Task) -> None:
    if task.born_in_id:
        advance_phase.delay_on_commit(task.born_in_id)
