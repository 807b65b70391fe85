"""Plain admin for sites, runs, phases, tasks and reviews."""

from __future__ import annotations

from django.contrib import admin

from curriculum.models import Phase, PhaseEvent, Review, Run, Site, Task
from curriculum.read_only import ModelAdmin, ReadOnlyAdmin


@admin.register(Site)
class SiteAdmin(ModelAdmin):
    list_display = ["key", "name", "kind", "base_url"]


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["name", "seed", "auto_accept", "created_by", "created_at"]
    search_fields = ["name"]


@admin.register(Phase)
class PhaseAdmin(ReadOnlyAdmin):
    list_display = ["run", "number", "status", "stage_started_at", "ended_at"]
    list_filter = ["status"]
    list_select_related = ["run"]
    exclude = ["tasks", "work_token"]


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ["key", "site", "split", "origin", "status", "instruction"]
    list_filter = ["site", "split", "origin", "status"]
    search_fields = ["key", "instruction"]
    list_select_related = ["site"]
    exclude = ["lease_token"]


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ["task", "reviewer", "decision", "reason", "created_at", "undone_at"]
    list_filter = ["decision", "reason"]
    list_select_related = ["task", "reviewer"]


@admin.register(PhaseEvent)
class PhaseEventAdmin(ReadOnlyAdmin):
    list_display = ["phase", "kind", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["phase__run"]
