"""One phase: its page, its log, its record, and what steers it."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.phases import edit_views, record_views, views

urlpatterns: list[URLPattern] = [
    path("phases/<int:phase_id>/", views.phase_detail, name="phase"),
    path("phases/<int:phase_id>/log/", views.phase_log, name="phase_log"),
    path("phases/<int:phase_id>/edit/", edit_views.edit_phase, name="edit_phase"),
    path("phases/<int:phase_id>/stop/", views.stop_phase, name="stop_phase"),
    path("phases/<int:phase_id>/served/", views.name_served, name="name_served"),
    path("phases/<int:phase_id>/resume/", views.resume_phase, name="resume_phase"),
    path(
        "phases/<int:phase_id>/finish-review/",
        views.finish_review,
        name="finish_review",
    ),
    path(
        "phases/<int:phase_id>/record/", record_views.phase_record, name="phase_record"
    ),
    path(
        "phases/<int:phase_id>/record.json",
        record_views.phase_record_json,
        name="phase_record_json",
    ),
]
