"""Runs: the list, and one run from its first weights to its last."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.models import Run
from curriculum.paging import read_page
from curriculum.rules.ids import read_id
from curriculum.selectors.pages import list_runs, list_tags
from webrl_site.runs import document as run_document
from webrl_site.runs.compare import MAX_RUNS, describe_comparison
from webrl_site.runs.opening import open_next_phase
from webrl_site.runs.page import describe_run, keep_said
from webrl_site.runs.table import SORTS, describe_rows, read_sorted
from webrl_site.server.downloads import send_json


@require_safe
@role_required(ROLE_RESEARCHER)
def run_list(request: HttpRequest) -> HttpResponse:
    tag = request.GET.get("tag", "")[:40]
    runs, sort = list_runs(tag), request.GET.get("sort", "")
    if sort in SORTS:
        page, rows = read_sorted(runs, sort)
    else:
        page = read_page(request, runs)
        rows = describe_rows(page.rows)
    context = {"page": page, "rows": rows, "sort": sort, "tag": tag}
    context["tags"] = list_tags()
    return render(request, "runs/run_list.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def compare_runs(request: HttpRequest) -> HttpResponse:
    """Runs side by side, in the order in which `?run=` names them."""
    asked = dict.fromkeys(map(read_id, request.GET.getlist("run")))
    ids = [run_id for run_id in asked if run_id is not None]
    found = Run.objects.in_bulk(ids[:MAX_RUNS])
    runs = [found[pk] for pk in ids if pk in found]
    context: dict[str, Any] = {"runs": runs}
    if len(runs) > 1:
        context |= describe_comparison(runs)
    context["left_out"] = max(0, len(ids) - MAX_RUNS)
    return render(request, "runs/run_compare.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def run_detail(request: HttpRequest, run_id: int) -> HttpResponse:
    return render(request, "runs/run.html", describe_run(_find_run(run_id)))


def _find_run(run_id: int) -> Run:
    runs = Run.objects.select_related("created_by", "parent")
    return get_object_or_404(runs, pk=run_id)


@require_safe
@role_required(ROLE_RESEARCHER)
def run_config(request: HttpRequest, run_id: int) -> HttpResponse:
    """The run's configuration as the file that the launch form reads."""
    run = get_object_or_404(Run, pk=run_id)
    text = run_document.write_document(run_document.describe_run(run))
    return send_json(text, run.name)


@require_POST
@role_required(ROLE_RESEARCHER)
def annotate_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Save notes and tags of a run, and whether its evidence is kept.

    A refused form keeps everything as it was typed. A field that was not changed in the
    form keeps what others have saved in it meanwhile.
    """
    get_object_or_404(Run, pk=run_id)
    said, before = _read_notes(request), _read_notes(request, "before_")
    try:
        services.annotate_run(run_id=run_id, said=said, before=before)
    except WorkbenchError as error:
        run = _find_run(run_id)
        context = describe_run(run, keep_said(run, said, before, error))
        status = 409 if isinstance(error, LeaseLost) else 200
        return render(request, "runs/run.html", context, status=status)
    messages.success(request, gettext("Your notes on the run are saved."))
    return redirect("run", run_id)


def _read_notes(request: HttpRequest, prefix: str = "") -> services.RunNotes:
    notes = request.POST.get(f"{prefix}notes", "")
    tags = request.POST.get(f"{prefix}tags", "")
    return services.RunNotes(notes, tags, f"{prefix}keep_evidence" in request.POST)


@require_POST
@role_required(ROLE_RESEARCHER)
def open_phase(request: HttpRequest, run_id: int) -> HttpResponse:
    get_object_or_404(Run, pk=run_id)
    return open_next_phase(request, run_id)
