"""Verdicts on episodes."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.verdicts import views

urlpatterns: list[URLPattern] = [
    path("judges/", views.judges, name="judges"),
    path("judges/verdicts.jsonl", views.verdict_rows, name="verdict_rows"),
]
