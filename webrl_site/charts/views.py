"""The charts of chosen runs, and each chart's rows as a CSV file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.models import Run
from curriculum.rules.ids import read_id
from curriculum.selectors.pages import (
    find_moving_phase,
    list_run_choices,
    map_configs,
    map_evolved,
)
from rollouts.selectors import reward_counts
from rollouts.selectors.chart_counts import count_error_types, read_test_episodes
from rollouts.selectors.chart_rows import list_phase_keys
from rollouts.selectors.pages import find_judged_run, find_measured_run
from training.selectors.pages import list_metrics
from webrl_site import charts
from webrl_site.charts import FIRST_METRICS, METRIC_CHARTS, Chart
from webrl_site.charts.awaited import say_when
from webrl_site.i18n.language import FOR_PROGRAMS

MAX_RUNS = 6
# PNG for slides, SVG for papers; the browser makes both.
PICTURE_FORMATS = ("png", "svg")


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """The available runs, the ids of those drawn, and the unknown ones requested."""

    runs: list[Run]
    chosen: list[int]
    unknown: list[str]


@require_safe
@role_required(ROLE_RESEARCHER)
def chart_list(request: HttpRequest) -> HttpResponse:
    choice = _choose(request)
    chosen = choice.chosen
    metrics = _chosen_metrics(request, chosen)
    names = [run.name for run in choice.runs if run.pk in chosen]
    drawn = _say_what_comes(build_charts(chosen, metrics), chosen)
    if len(names) > 1:
        charts.number_runs(drawn, names)
    context = {
        "runs": choice.runs,
        "chosen": chosen,
        "unknown": ", ".join(choice.unknown),
        "drawn_query": urlencode({"run": chosen}, doseq=True),
        "metrics": [(key, title) for key, (_, title, _) in METRIC_CHARTS.items()],
        "chosen_metrics": metrics,
        "charts": drawn,
        "drawn_of": ", ".join(names),
        "picture_formats": PICTURE_FORMATS,
    }
    return render(request, "charts/charts.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def chart_csv(request: HttpRequest, key: str) -> HttpResponse:
    choice = _choose(request)
    if choice.unknown:
        raise Http404
    with translation.override(FOR_PROGRAMS):
        drawn = build_charts(choice.chosen, [key] if key in METRIC_CHARTS else [])
        chart = next((chart for chart in drawn if chart.key == key), None)
    if chart is None:
        raise Http404
    name = f'attachment; filename="{chart.key}.csv"'
    return HttpResponse(
        charts.write_csv(chart),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": name},
    )


def build_charts(run_ids: list[int], metric_keys: Sequence[str]) -> list[Chart]:
    """Build the charts with one query a kind of rows, for any number of runs."""
    phases = list_phase_keys(run_ids)
    tested, judged = read_test_episodes(phases), reward_counts.count_judged(phases)
    judged_tasks = reward_counts.count_judged_tasks(phases)
    outcomes = tested.by_site()
    ends = tested.at_ends()
    metrics = list_metrics(run_ids, [METRIC_CHARTS[key][0] for key in metric_keys])
    evolved = map_evolved([phase.phase_id for phase in phases])
    return [
        charts.success_by_phase(outcomes),
        charts.success_by_site(outcomes),
        *charts.success_by_settings(outcomes, map_configs(run_ids)),
        charts.success_by_steps(ends.by_steps()),
        charts.success_by_words(ends.by_words()),
        charts.endings(tested.endings()),
        charts.error_types(count_error_types(phases)),
        charts.orm_accuracy(reward_counts.add_up_verdicts(judged, judged_tasks)),
        charts.calibration(reward_counts.add_up_calibration(judged, judged_tasks)),
        charts.evolved_tasks(phases, evolved),
        *(charts.metric_chart(key, metrics) for key in metric_keys),
    ]


def _say_what_comes(drawn: list[Chart], run_ids: list[int]) -> list[Chart]:
    """Add to each empty chart when a running phase will fill it."""
    if all(chart.rows for chart in drawn):
        return drawn
    phase = find_moving_phase(run_ids)
    if phase is None:
        return drawn
    return [
        chart
        if chart.rows
        else dataclasses.replace(chart, awaited=say_when(chart.key, phase))
        for chart in drawn
    ]


def _chosen_metrics(request: HttpRequest, run_ids: list[int]) -> list[str]:
    """The metrics that `?metric=` names; else all for one run, a few for several."""
    asked = set(request.GET.getlist("metric"))
    chosen = [key for key in METRIC_CHARTS if key in asked]
    return chosen or [*(METRIC_CHARTS if len(run_ids) == 1 else FIRST_METRICS)]


def _choose(request: HttpRequest) -> Choice:
    """Read the runs that `?run=` names, at most six.

    Without any: the one measured last, or else one that has data to draw.
    """
    asked = {raw: read_id(raw) for raw in request.GET.getlist("run")}
    runs = list_run_choices([pk for pk in asked.values() if pk])
    known = {run.pk for run in runs}
    chosen = [pk for pk in dict.fromkeys(asked.values()) if pk in known][:MAX_RUNS]
    if not chosen:
        usual = find_measured_run() or find_judged_run()
        if usual and usual.pk not in known:
            runs.append(usual)
        chosen = [run.pk for run in ([usual] if usual else runs[:1])]
    return Choice(runs, chosen, [raw for raw, pk in asked.items() if pk not in known])
