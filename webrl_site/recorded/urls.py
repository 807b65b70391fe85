"""Recorded pages, which only their own origin serves."""

from __future__ import annotations

from django.urls import URLPattern, re_path

from webrl_site.recorded import pages

DIGEST = r"(?P<digest>[0-9a-f]{64})"

urlpatterns: list[URLPattern] = [
    re_path(rf"^recorded/{DIGEST}\.html$", pages.recorded_page),
    re_path(rf"^recorded/{DIGEST}\.jpg$", pages.recorded_screenshot),
]
