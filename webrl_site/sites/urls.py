"""The sites."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.sites import views

urlpatterns: list[URLPattern] = [
    path("curriculum/sites/", views.site_list, name="site_list"),
    path("curriculum/sites/<int:site_id>/", views.site_detail, name="site"),
    path(
        "curriculum/sites/<int:site_id>/instances/add/",
        views.add_instance,
        name="add_instance",
    ),
    path(
        "curriculum/sites/<int:site_id>/instances/remove/",
        views.remove_instance,
        name="remove_instance",
    ),
    path("curriculum/sites/<int:site_id>/check/", views.check_site, name="check_site"),
    path("curriculum/sites/<int:site_id>/reset/", views.reset_site, name="reset_site"),
    path("curriculum/sites/<int:site_id>/open/", views.open_site, name="open_site"),
]
