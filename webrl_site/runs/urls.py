"""Runs, compared and one by one."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.runs import views

urlpatterns: list[URLPattern] = [
    path("runs/", views.run_list, name="run_list"),
    path("runs/<int:run_id>/notes/", views.annotate_run, name="annotate_run"),
    path("runs/compare/", views.compare_runs, name="compare_runs"),
    path("runs/<int:run_id>/", views.run_detail, name="run"),
    path("runs/<int:run_id>/config.json", views.run_config, name="run_config"),
    path("runs/<int:run_id>/phases/", views.open_phase, name="open_phase"),
]
