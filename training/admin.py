"""Read-only admin for training runs, checkpoints, experience and metrics."""

from __future__ import annotations

from django.contrib import admin

from curriculum.access.read_only import ReadOnlyAdmin
from training.models import Checkpoint, Experience, Metric, TrainingRun


@admin.register(TrainingRun)
class TrainingRunAdmin(ReadOnlyAdmin):
    list_display = ["phase", "status", "heartbeat_at", "started_at", "ended_at"]
    list_filter = ["status"]
    list_select_related = ["phase__run"]


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ["uri", "kind", "digest", "parameter_count", "created_at"]
    list_filter = ["kind"]


@admin.register(Experience)
class ExperienceAdmin(ReadOnlyAdmin):
    list_display = ["training_run", "step", "source", "was_used", "left_out_reason"]
    list_filter = ["source", "was_used"]
    list_select_related = ["training_run__phase__run", "step"]
    show_full_result_count = False


@admin.register(Metric)
class MetricAdmin(ReadOnlyAdmin):
    list_display = ["training_run", "name", "step", "value"]
    list_filter = ["name"]
    list_select_related = ["training_run__phase__run"]
    show_full_result_count = False
