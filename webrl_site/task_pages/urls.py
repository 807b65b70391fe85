"""One task: its page, its family, trials by hand, and task files."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.task_pages import import_views, trial_views, views

urlpatterns: list[URLPattern] = [
    path("curriculum/<int:task_id>/", views.task_detail, name="task"),
    path("curriculum/<int:task_id>/family/", views.task_family, name="task_family"),
    path("curriculum/<int:task_id>/try/", trial_views.try_task, name="try_task"),
    path("curriculum/import/", import_views.task_import, name="task_import"),
]
