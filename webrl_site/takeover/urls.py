"""Taking over at a step."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.takeover import views

urlpatterns: list[URLPattern] = [
    path(
        "trajectories/<int:trajectory_id>/steps/<int:number>/take-over/",
        views.take_over,
        name="take_over",
    ),
    path("takeovers/<int:takeover_id>/", views.takeover, name="takeover"),
    path("takeovers/<int:takeover_id>/act/", views.act, name="act_takeover"),
    path("takeovers/<int:takeover_id>/leave/", views.leave, name="leave_takeover"),
    path("takeovers/<int:takeover_id>/keep/", views.keep, name="keep_takeover"),
    path(
        "takeovers/<int:takeover_id>/let-go/",
        views.let_go,
        name="let_takeover_go",
    ),
]
