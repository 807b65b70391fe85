"""Addresses of the curriculum."""

from __future__ import annotations

from django.urls import path

from curriculum import views

app_name = "curriculum"
urlpatterns = [
    path("", views.task_list, name="task_list"),
    path("value-band/", views.value_band, name="value_band"),
    path("value-band/<int:phase_id>/move/", views.move_band, name="move_band"),
]
