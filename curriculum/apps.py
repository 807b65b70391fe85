from __future__ import annotations

from django.apps import AppConfig


class CurriculumConfig(AppConfig):
    name = "curriculum"
    default_auto_field = "django.db.models.BigAutoField"
