"""Help, docs and the style guide."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.help import doc_views, styleguide_views, views

urlpatterns: list[URLPattern] = [
    path("styleguide/", styleguide_views.styleguide, name="styleguide"),
    path("help/", views.help_page, name="help"),
    path("help/docs/<path:name>", doc_views.docs_page, name="docs"),
]
