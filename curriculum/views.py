"""The curriculum: the list of all tasks, and the band of the critic's values."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.forms import BandForm, TaskFilterForm, ValueBandForm, list_problems
from curriculum.models import Phase
from curriculum.paging import read_page
from curriculum.selectors.readers import Reader
from curriculum.selectors.reviewing.opinions import (
    leave_out_hidden,
    list_tasks,
    read_opinion,
)
from curriculum.selectors.value_band import (
    Band,
    band_of,
    draw_histogram,
    valued_tasks,
    weigh_band,
)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def task_list(request: HttpRequest) -> HttpResponse:
    form = TaskFilterForm(request.GET)
    page = read_page(request, list_tasks(reader=request.user, **form.values()))
    opinions = [read_opinion(task) for task in page]
    context = {
        "form": form,
        "page": page,
        "is_blind": any(opinion.is_hidden for opinion in opinions),
        "is_covered": any(opinion.is_covered for opinion in opinions),
    }
    return render(request, "curriculum/task_list.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def value_band(request: HttpRequest) -> HttpResponse:
    context = _describe_value_band(ValueBandForm(request.GET), request.user)
    is_partial = request.headers.get("HX-Request") == "true"
    template = "_value_band_result.html" if is_partial else "value_band.html"
    return render(request, f"curriculum/{template}", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def move_band(request: HttpRequest, phase_id: int) -> HttpResponse:
    get_object_or_404(Phase, pk=phase_id)
    form = BandForm(request.POST)
    if not form.is_valid():
        problems = (f"{label}: {problem}" for label, problem in list_problems(form))
        messages.error(request, " ".join(problems))
        return redirect(f"{reverse('curriculum:value_band')}?phase={phase_id}")
    band = Band(form.cleaned_data["low"], form.cleaned_data["high"])
    try:
        moved = services.move_band(phase_id=phase_id, band=band, by=request.user)  # type: ignore[arg-type]
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        text = gettext(
            "Entered the review: %(entered)s. Left the review: %(left)s."
        ) % {"entered": moved.entered, "left": moved.left}
        messages.success(request, text)
    query = urlencode({"phase": phase_id, "low": band.low, "high": band.high})
    return redirect(f"{reverse('curriculum:value_band')}?{query}")


def _describe_value_band(form: ValueBandForm, reader: Reader) -> dict[str, Any]:
    given = form.values()
    phase_id: int = given.get("phase") or 0
    phase = Phase.objects.select_related("run").filter(pk=phase_id).first()
    usual = band_of(phase)
    band = Band(given.get("low", usual.low), given.get("high", usual.high))
    valued = valued_tasks(phase_id)
    tasks = leave_out_hidden(valued, reader)
    rows, bars = weigh_band(tasks, band), draw_histogram(tasks)
    return {
        "form": form,
        "phase": phase,
        "band": band,
        "usual": usual,
        "rows": rows,
        "bars": bars,
        "tallest": max((bar.count for bar in bars), default=0),
        "count": (count := sum(bar.count for bar in bars)),
        "hidden": valued.count() - count if tasks is not valued else 0,
        "can_move": phase is not None and phase.status == Phase.Status.REVIEW,
        "changes": sum(row.enter + row.leave for row in rows),
    }
