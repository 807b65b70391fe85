"""REST: read tasks, runs and phases."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from curriculum.api_permissions import HasRole, IsResearcher
from curriculum.forms import TaskFilterForm
from curriculum.models import Phase, Run, Task
from curriculum.selectors.pages import filter_tasks, list_runs


class TaskSerializer(serializers.ModelSerializer[Task]):
    """One task with its whole specification."""

    site = serializers.CharField(source="site.key")

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
            "was_auto_accepted",
            "spec",
            "created_at",
        ]


class RunSerializer(serializers.ModelSerializer[Run]):
    """One run with its configuration."""

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
            "notes",
            "created_at",
        ]


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
            "created_at",
            "stage_started_at",
            "ended_at",
        ]


class TaskViewSet(ReadOnlyModelViewSet[Task]):
    """Tasks; filter with the curriculum page's own parameters."""

    permission_classes = [HasRole]
    serializer_class = TaskSerializer
    queryset = Task.objects.none()

    def get_queryset(self) -> QuerySet[Task]:
        filters: dict[str, Any] = TaskFilterForm(self.request.query_params).values()
        return filter_tasks(**filters)


class RunViewSet(ReadOnlyModelViewSet[Run]):
    """Runs, newest first."""

    permission_classes = [IsResearcher]
    serializer_class = RunSerializer
    queryset = Run.objects.none()

    def get_queryset(self) -> QuerySet[Run]:
        return list_runs()


class PhaseViewSet(ReadOnlyModelViewSet[Phase]):
    """Phases, newest first; `?run=` chooses one run's."""

    permission_classes = [IsResearcher]
    serializer_class = PhaseSerializer
    queryset = Phase.objects.none()

    def get_queryset(self) -> QuerySet[Phase]:
        phases = Phase.objects.order_by("-id")
        run = self.request.query_params.get("run", "")
        return phases.filter(run_id=int(run)) if run.isdigit() else phases
