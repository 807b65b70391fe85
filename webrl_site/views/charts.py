"""The charts of chosen runs, and each chart's rows as a CSV file."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from curriculum.models import Run
from curriculum.roles import ROLE_RESEARCHER, role_required
from curriculum.selectors.pages import list_phase_ids
from rollouts.selectors import chart_rows
from rollouts.selectors.pages import count_outcomes, count_verdicts, find_measured_run
from training.selectors.pages import list_metrics
from webrl_site import charts
from webrl_site.charts import METRIC_CHARTS, Chart
from webrl_site.language import FOR_PROGRAMS

MOST_RUNS = 6


@require_safe
@role_required(ROLE_RESEARCHER)
def chart_list(request: HttpRequest) -> HttpResponse:
    runs = list(Run.objects.only("name")[:100])
    chosen = _chosen(request, runs)
    context = {"runs": runs, "chosen": chosen, "charts": build_charts(chosen)}
    return render(request, "webrl_site/charts.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def chart_csv(request: HttpRequest, key: str) -> HttpResponse:
    chosen = _chosen(request, list(Run.objects.only("name")[:100]))
    with translation.override(FOR_PROGRAMS):
        chart = next((c for c in build_charts(chosen) if c.key == key), None)
    if chart is None:
        raise Http404
    name = f'attachment; filename="{chart.key}.csv"'
    return HttpResponse(
        charts.write_csv(chart),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": name},
    )


def build_charts(run_ids: list[int]) -> list[Chart]:
    """One query a kind of numbers, whatever the number of runs."""
    outcomes, phase_ids = count_outcomes(run_ids), list_phase_ids(run_ids)
    names = [name for name, _, _ in METRIC_CHARTS.values()]
    metrics = list_metrics(run_ids, names)
    return [
        charts.success_by_phase(outcomes),
        charts.success_by_site(outcomes),
        charts.success_by_steps(chart_rows.count_by_steps(phase_ids)),
        charts.success_by_words(chart_rows.count_by_words(phase_ids)),
        charts.endings(chart_rows.count_endings(phase_ids)),
        charts.orm_accuracy(count_verdicts(phase_ids)),
        charts.calibration(chart_rows.count_calibration(phase_ids)),
        *(charts.metric_chart(key, metrics) for key in METRIC_CHARTS),
    ]


def _chosen(request: HttpRequest, runs: list[Run]) -> list[int]:
    """The runs that `?run=` names, at most six; without any, the one measured last."""
    known = {run.pk for run in runs}
    asked = [int(raw) for raw in request.GET.getlist("run") if raw.isdigit()]
    chosen = [pk for pk in dict.fromkeys(asked) if pk in known][:MOST_RUNS]
    if chosen:
        return chosen
    measured = find_measured_run()
    return [measured.pk] if measured else [run.pk for run in runs[:1]]
