"""Plain admin for sites, runs, phases, tasks and reviews."""

from __future__ import annotations

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest

from curriculum.access.read_only import ModelAdmin, ReadOnlyAdmin
from curriculum.forms import SiteForm
from curriculum.models import Phase, PhaseEvent, Review, Run, Site, Task


@admin.register(Site)
class SiteAdmin(ModelAdmin):
    """Adds external sites and changes their addresses; the sandbox manages its own."""

    form = SiteForm
    list_display = ["key", "name", "kind", "base_url"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: Site | None = None
    ) -> list[str]:
        # Tasks and files refer to a site by these.
        return ["key", "placeholder"] if obj else []

    def save_model(
        self, request: HttpRequest, obj: Site, form: ModelForm[Site], change: bool
    ) -> None:
        if not change:
            obj.kind = Site.Kind.EXTERNAL
        super().save_model(request, obj, form, change)

    def has_change_permission(
        self, request: HttpRequest, obj: Site | None = None
    ) -> bool:
        return _is_external(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(
        self, request: HttpRequest, obj: Site | None = None
    ) -> bool:
        return _is_external(obj) and super().has_delete_permission(request, obj)


def _is_external(site: Site | None) -> bool:
    """True without a site as well: then the question is about the list."""
    return site is None or site.kind == Site.Kind.EXTERNAL


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
