"""Oscar's own addresses, at the root."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.urls import include, path

_shop: Any = apps.get_app_config("oscar")
urlpatterns = [path("", include(_shop.urls[0]))]
handler403 = "oscar.views.handler403"
handler404 = "oscar.views.handler404"
handler500 = "oscar.views.handler500"
