"""Queue, evidence and notices."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.operations import evidence_views, notice_views, queue_views

urlpatterns: list[URLPattern] = [
    path("runs/queue/", queue_views.queue, name="queue"),
    path("runs/evidence/", evidence_views.evidence, name="evidence"),
    path("runs/notices/", notice_views.notices, name="notices"),
    path("runs/notices/test/", notice_views.test_notice, name="test_notice"),
]
