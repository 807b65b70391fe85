"""Replays of episodes."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.replay import views

urlpatterns: list[URLPattern] = [
    path("trajectories/<int:trajectory_id>/", views.replay, name="replay"),
    path(
        "trajectories/<int:trajectory_id>/steps/<int:number>/",
        views.replay,
        name="replay_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/live/", views.replay_live, name="replay_live"
    ),
    path("trajectories/<int:trajectory_id>/trace/", views.trace, name="trace"),
    path("trajectories/<int:trajectory_id>/bundle.zip", views.bundle, name="bundle"),
    path(
        "trajectories/<int:left_id>/compare/<int:right_id>/",
        views.compare,
        name="compare",
    ),
    path(
        "trajectories/<int:left_id>/compare/<int:right_id>/steps/<int:number>/",
        views.compare,
        name="compare_step",
    ),
    path(
        "trajectories/<int:trajectory_id>/verdict/",
        views.judge_episode,
        name="judge_episode",
    ),
    path(
        "trajectories/<int:trajectory_id>/error-type/",
        views.correct_error,
        name="correct_error_type",
    ),
    path(
        "trajectories/<int:trajectory_id>/verdict/take-back/",
        views.take_back_verdict,
        name="take_verdict_back",
    ),
]
