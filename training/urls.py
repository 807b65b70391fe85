"""Addresses of training runs."""

from __future__ import annotations

from django.urls import path

from training import views

app_name = "training"
urlpatterns = [path("<int:training_id>/", views.training_run, name="training_run")]
