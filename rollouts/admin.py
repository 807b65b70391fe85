"""Read-only admin for trajectories, steps and the condition of sites."""

from __future__ import annotations

from django.contrib import admin

from curriculum.access.read_only import ReadOnlyAdmin
from rollouts.models import HumanVerdict, SiteCondition, Step, Trajectory


@admin.register(Trajectory)
class TrajectoryAdmin(ReadOnlyAdmin):
    list_display = ["id", "phase", "task", "purpose", "status", "attempt", "outcome"]
    list_filter = ["purpose", "status", "ended_by", "outcome"]
    list_select_related = ["phase__run", "task"]


@admin.register(Step)
class StepAdmin(ReadOnlyAdmin):
    list_display = ["trajectory", "attempt", "index", "output"]
    list_select_related = ["trajectory"]
    show_full_result_count = False


@admin.register(SiteCondition)
class SiteConditionAdmin(ReadOnlyAdmin):
    list_display = ["site", "reset_wanted_at", "last_reset_at", "closed_until"]
    list_select_related = ["site"]


@admin.register(HumanVerdict)
class HumanVerdictAdmin(ReadOnlyAdmin):
    list_display = ["trajectory", "author", "verdict", "is_blind", "created_at"]
    list_filter = ["verdict", "is_blind"]
    list_select_related = ["trajectory", "author"]
