"""A run's training episodes by template."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.attempts import views

urlpatterns: list[URLPattern] = [
    path("runs/<int:run_id>/attempts/", views.attempts, name="attempts"),
]
