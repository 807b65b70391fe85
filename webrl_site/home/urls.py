"""Home and what greets newcomers."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.home import views, welcome_views

urlpatterns: list[URLPattern] = [
    path("", views.home, name="home"),
    path("health/", views.health, name="health"),
    path("help/tour/end/", welcome_views.end_tour, name="end_tour"),
    path("help/tour/again/", welcome_views.restart_tour, name="restart_tour"),
    path("help/first-steps/hide/", welcome_views.hide_steps, name="hide_steps"),
]
