"""The charts' data, each from rows that its table and its CSV file share."""

from __future__ import annotations

from webrl_site.charts.chart import Chart, Row, number_runs, write_csv
from webrl_site.charts.endings import endings
from webrl_site.charts.errors import error_types
from webrl_site.charts.evolved import evolved_tasks
from webrl_site.charts.groups import success_by_steps, success_by_words
from webrl_site.charts.judging import calibration, orm_accuracy
from webrl_site.charts.success import success_by_phase, success_by_site
from webrl_site.charts.swept import success_by_settings
from webrl_site.charts.training import FIRST_METRICS, METRIC_CHARTS, metric_chart

__all__ = [
    "FIRST_METRICS",
    "METRIC_CHARTS",
    "Chart",
    "Row",
    "calibration",
    "endings",
    "error_types",
    "evolved_tasks",
    "metric_chart",
    "number_runs",
    "orm_accuracy",
    "success_by_phase",
    "success_by_settings",
    "success_by_site",
    "success_by_steps",
    "success_by_words",
    "write_csv",
]
