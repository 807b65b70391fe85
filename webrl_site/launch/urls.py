"""The launch form."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.launch import views

urlpatterns: list[URLPattern] = [
    path("runs/new/", views.run_new, name="run_new"),
]
