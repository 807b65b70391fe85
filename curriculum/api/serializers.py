"""Sites, tasks, reviews, runs, phases and events as the API shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from curriculum.models import (
    FirstLook,
    Phase,
    PhaseEvent,
    Review,
    Run,
    Site,
    SiteInstance,
    Task,
)


@extend_schema_field({"type": "object", "additionalProperties": True})
class ObjectField(serializers.JSONField):
    """A JSON object."""

    def to_internal_value(self, data: object) -> dict[str, Any] | list[dict[str, Any]]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        return super().to_internal_value(data)


@extend_schema_field({"type": "array", "items": {}})
class ListOfJSONField(serializers.JSONField):
    """A JSON list."""


class SiteInstanceSerializer(serializers.ModelSerializer[SiteInstance]):
    """A further instance of a site; one without an address was taken away."""

    # The model's own field is described as two forms that both fit an empty text.
    base_url = serializers.CharField(read_only=True)

    class Meta:
        model = SiteInstance
        fields = ["number", "base_url"]


class SiteSerializer(serializers.ModelSerializer[Site]):
    """One site, and how many accepted tasks each split has on it."""

    train = serializers.IntegerField(read_only=True)
    validation = serializers.IntegerField(read_only=True)
    test = serializers.IntegerField(read_only=True)
    instances = SiteInstanceSerializer(many=True, read_only=True)
    base_url = serializers.CharField(help_text="External sites only.", read_only=True)

    class Meta:
        model = Site
        fields = [
            *("id", "key", "name", "kind", "description", "placeholder", "base_url"),
            *("instances", "train", "validation", "test"),
        ]


class TaskSerializer(serializers.ModelSerializer[Task]):
    """One task with its whole specification; see `with_opinions` for what is hidden.

    Where `opinion_hidden`, an annotator has to decide the task blind first, and what
    the machine thinks of it is empty. Where `status_hidden`, it may be a gold item for
    all that an annotator is to know, and how it was decided and born is empty.
    """

    key = serializers.CharField(source="shown_key")
    status = serializers.ChoiceField(
        choices=Task.Status.choices, source="shown_status", allow_blank=True
    )
    born_in = serializers.IntegerField(source="shown_born_in", allow_null=True)
    was_auto_accepted = serializers.BooleanField(source="shown_auto")
    created_at = serializers.DateTimeField(source="shown_birth", allow_null=True)
    status_hidden = serializers.BooleanField(source="is_covered")
    site = serializers.CharField(source="site.key")
    spec = ObjectField()
    value_estimate = serializers.FloatField(source="shown_value", allow_null=True)
    is_feasible = serializers.BooleanField(source="shown_feasible", allow_null=True)
    feasibility_reason = serializers.CharField(source="shown_feasibility")
    filter_reason = serializers.CharField(source="shown_filter_reason")
    opinion_hidden = serializers.BooleanField()

    class Meta:
        model = Task
        fields = [
            "id",
            "key",
            "site",
            "instruction",
            "start_url",
            "template_key",
            "split",
            "origin",
            "status",
            "optimal_steps",
            "parent",
            "born_in",
            "value_estimate",
            "is_feasible",
            "feasibility_reason",
            "filter_reason",
            "opinion_hidden",
            "status_hidden",
            "was_auto_accepted",
            "spec",
            "created_at",
        ]


class ReviewSerializer(serializers.ModelSerializer[Review]):
    """One decision about an evolved task; `undone_at` says if it no longer stands.

    `kind` is empty for annotators. `guideline` is the version that the reviewer saw,
    `batch` the set of tasks that were decided at once.
    """

    reviewer = serializers.CharField(source="reviewer.username")
    phase = serializers.IntegerField(source="shown_phase", allow_null=True)
    kind = serializers.ChoiceField(
        choices=Review.Kind.choices, source="shown_kind", allow_blank=True
    )
    guideline = serializers.IntegerField(
        source="guideline.version", allow_null=True, default=None
    )

    class Meta:
        model = Review
        fields = [
            "id",
            "task",
            "phase",
            "reviewer",
            "kind",
            "decision",
            "first_decision",
            "original_instruction",
            "edited_instruction",
            "reason",
            "skip_to",
            "note",
            "guideline",
            "batch",
            "seconds_spent",
            "created_at",
            "undone_at",
        ]


class RunSerializer(serializers.ModelSerializer[Run]):
    """One run with its configuration and its newest phase.

    `parent` is the run whose settings it was made from.
    """

    config = ObjectField()
    tags = serializers.ListField(
        child=serializers.CharField(), source="tag_names", read_only=True
    )
    created_by = serializers.SerializerMethodField()
    phase_count = serializers.IntegerField(read_only=True)
    last_phase = serializers.IntegerField(
        source="last_phase_id", read_only=True, allow_null=True
    )
    last_phase_status = serializers.ChoiceField(
        choices=Phase.Status.choices, read_only=True, allow_null=True
    )

    class Meta:
        model = Run
        fields = [
            "id",
            "name",
            "config",
            "seed",
            "auto_accept",
            "policy_uri",
            "critic_uri",
            "orm_uri",
            "served_uri",
            "notes",
            "tags",
            "keep_evidence",
            "parent",
            "created_by",
            "created_at",
            "phase_count",
            "last_phase",
            "last_phase_status",
        ]

    def get_created_by(self, run: Run) -> str | None:
        return run.created_by.get_username() if run.created_by else None


class PhaseSerializer(serializers.ModelSerializer[Phase]):
    """One phase and the weights it starts from and makes."""

    class Meta:
        model = Phase
        fields = [
            "id",
            "run",
            "number",
            "status",
            "resume_status",
            "failure_reason",
            "policy_uri",
            "critic_uri",
            "orm_uri",
            "next_policy_uri",
            "next_critic_uri",
            "next_orm_uri",
            "served_uri",
            "next_served_uri",
            "created_at",
            "stage_started_at",
            "ended_at",
        ]


class EventSerializer(serializers.ModelSerializer[PhaseEvent]):
    """One line of a phase's history."""

    data = ObjectField()  # type: ignore[assignment]

    class Meta:
        model = PhaseEvent
        fields = ["id", "phase", "kind", "data", "created_at"]


class DecidedSerializer(ReviewSerializer):
    """What one has decided; nothing of it tells a gold item from another task."""

    class Meta(ReviewSerializer.Meta):
        fields = [
            name
            for name in ReviewSerializer.Meta.fields
            if name not in ("phase", "kind")
        ]


class DeskTaskSerializer(serializers.ModelSerializer[Task]):
    """What the review desk shows of a task, before it is decided."""

    site = serializers.CharField(source="site.key")

    class Meta:
        model = Task
        fields = [
            *("id", "site", "instruction", "start_url", "parent"),
            *("value_estimate", "is_feasible", "feasibility_reason"),
        ]


class ClaimSerializer(serializers.Serializer[Any]):
    """A task that is reserved for one reviewer until `leased_until`.

    Where its run is reviewed blind, what the machine thinks of it (value_estimate,
    is_feasible, feasibility_reason) is empty until the first decision.
    """

    task = DeskTaskSerializer()
    phase = serializers.IntegerField(allow_null=True)
    token = serializers.CharField()
    leased_until = serializers.DateTimeField()
    opinion_hidden = serializers.BooleanField()
    first_decision = serializers.ChoiceField(
        choices=FirstLook.Decision.choices, allow_blank=True
    )
