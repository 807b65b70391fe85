"""The address that Prometheus reads."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.metrics import views

urlpatterns: list[URLPattern] = [path("metrics", views.metrics, name="metrics")]
