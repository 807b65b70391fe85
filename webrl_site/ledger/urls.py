"""The ledger of test tasks."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.ledger import views

urlpatterns: list[URLPattern] = [
    path("runs/<int:run_id>/ledger/", views.ledger, name="ledger"),
    path("phases/<int:phase_id>/ledger/", views.phase_ledger, name="phase_ledger"),
]
