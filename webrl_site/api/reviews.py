"""REST: reserve a task for review, keep it, decide it, take a decision back.

By the services of the desk's page, and so by its rules: gold items come among the
others and look like them, and blind reviews hide what the machine thinks at first.
"""

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
    DecidedSerializer,
)
from curriculum.api.views import ReviewViewSet as ReadableReviewViewSet
from curriculum.models import FirstLook, Review
from curriculum.selectors.reviewing.desk import look_blind, tasks_on_desk
from curriculum.selectors.reviewing.opinions import without_opinion
from webrl_site.api.idempotency import AnswersOnce
from webrl_site.loop.tasks import advance_when_over
from webrl_site.loop.wakeups import advance_after_commit

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

    leased_until = serializers.DateTimeField()


class FirstLookSerializer(LeaseSerializer):
    """What one decides before the machine's opinion is shown."""

    decision = serializers.ChoiceField(choices=FirstLook.Decision.choices)
    edited_instruction = serializers.CharField(
        required=False, allow_blank=True, max_length=4000
    )
    reason = serializers.ChoiceField(
        choices=Review.Reason.choices, required=False, allow_blank=True
    )


class DecisionSerializer(FirstLookSerializer):
    """One decision; an edit brings its text, a rejection its reason."""

    decision = serializers.ChoiceField(choices=Review.Decision.choices)
    note = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    seconds_spent = serializers.FloatField(
        required=False, allow_null=True, min_value=0, max_value=86_400
    )
    skip_to = serializers.ChoiceField(choices=Review.SkipTo.choices, required=False)
    guideline = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=HIGHEST_ID
    )


class ReviewViewSet(AnswersOnce, ReadableReviewViewSet):
    """Decisions about evolved tasks, newest first, undone ones included."""

    def get_permissions(self) -> Sequence[Any]:
        return [CanReview()] if self.action == "create" else super().get_permissions()

    @extend_schema(request=DecisionSerializer, responses={201: DecidedSerializer})
    def create(self, request: Request) -> Response:
        """Decide a reserved task; 409 when the reservation is lost.

        In a blind review 400 `first-look-missing` until there is a first look.
        """
        lease, decision = _split(_read(DecisionSerializer, request))
        review = services.decide_review(
            reviewer=_reviewer(request), decision=decision, **lease
        )
        advance_when_over(review)
        body = DecidedSerializer(review).data
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
        reviewer = _reviewer(request)
        held = services.take_next(reviewer=reviewer, phase_id=phase_id)
        if held is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return _show(held, reviewer)


class FirstLookView(AnswersOnce):
    """Decide blind: it is kept, decides nothing, and shows what the machine thinks.

    A second one changes nothing; `POST reviews/` then keeps or changes the decision.
    """

    permission_classes = [CanReview]

    @extend_schema(request=FirstLookSerializer, responses=ClaimSerializer)
    def post(self, request: Request) -> Response:
        lease, decision = _split(_read(FirstLookSerializer, request))
        reviewer = _reviewer(request)
        services.take_first_look(reviewer=reviewer, decision=decision, **lease)
        task = tasks_on_desk().get(pk=lease["task_id"])
        held = services.find_reservation(
            task=task, token=lease["token"], reviewer=reviewer
        )
        return _show(held, reviewer)


class RenewReviewView(AnswersOnce):
    """Keep a reservation while somebody reads; 409 when it is lost."""

    permission_classes = [CanReview]

    @extend_schema(request=LeaseSerializer, responses=RenewedSerializer)
    def post(self, request: Request) -> Response:
        values = _read(LeaseSerializer, request)
        until = services.renew_review_lease(
            task_id=values["task"], token=values["token"], reviewer=_reviewer(request)
        )
        return Response(RenewedSerializer({"leased_until": until}).data)


class UndoReviewView(AnswersOnce):
    """Take one's own decision back while the phase is in review."""

    permission_classes = [CanReview]

    @extend_schema(request=None, responses=DecidedSerializer)
    def post(self, request: Request, review_id: int) -> Response:
        review = get_object_or_404(Review, pk=review_id)
        task = services.undo_review(review_id=review_id, reviewer=_reviewer(request))
        if task.born_in_id and review.kind != Review.Kind.GOLD:
            advance_after_commit(task.born_in_id)
        review.refresh_from_db()
        return Response(DecidedSerializer(review).data)


def _show(held: services.Reservation, reviewer: User) -> Response:
    """Answer with what somebody holds; a gold item's answer is like any other's."""
    until = services.renew_review_lease(
        task_id=held.task.pk, token=held.token, reviewer=reviewer
    )
    is_hidden, first = look_blind(held.task, held.phase, reviewer.pk)
    claim = {
        "task": without_opinion(held.task) if is_hidden else held.task,
        "phase": held.phase.pk if held.phase else None,
        "token": held.token,
        "leased_until": until,
        "opinion_hidden": is_hidden,
        "first_decision": first,
    }
    return Response(ClaimSerializer(claim).data)


def _read(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    form = kind(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def _split(values: dict[str, Any]) -> tuple[dict[str, Any], services.Decision]:
    """Return the reservation's task and token, and what is decided."""
    lease = {"task_id": values.pop("task"), "token": values.pop("token")}
    return lease, services.Decision(values.pop("decision"), **values)


def _reviewer(request: Request) -> User:
    return cast(User, request.user)
