"""What monitors ask."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.server import healthz

urlpatterns: list[URLPattern] = [
    path("healthz", healthz.healthz, name="healthz"),
]
