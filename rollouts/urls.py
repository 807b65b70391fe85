"""Addresses of the trajectory list; webrl_site has the replay, which needs training."""

from __future__ import annotations

from django.urls import path

from rollouts import views

app_name = "rollouts"
urlpatterns = [path("", views.trajectory_list, name="trajectory_list")]
