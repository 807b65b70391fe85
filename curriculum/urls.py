"""Addresses of the curriculum."""

from __future__ import annotations

from django.urls import path

from curriculum import views

app_name = "curriculum"
urlpatterns = [path("", views.task_list, name="task_list")]
