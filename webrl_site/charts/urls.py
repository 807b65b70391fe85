"""Charts and their rows."""

from __future__ import annotations

from django.urls import URLPattern, path

from webrl_site.charts import views

urlpatterns: list[URLPattern] = [
    path("charts/", views.chart_list, name="charts"),
    path("charts/<slug:key>.csv", views.chart_csv, name="chart_csv"),
]
