"""The record of what a phase ran with, to read and to download."""

from __future__ import annotations

import itertools
import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from training.selectors.pages import find_training_run
from webrl_site.loop.reproducibility import list_records
from webrl_site.phases.page import find_phase
from webrl_site.runs.config_diff import flatten, list_differences
from webrl_site.server.downloads import send_json


@require_safe
@role_required(ROLE_RESEARCHER)
def phase_record(request: HttpRequest, phase_id: int) -> HttpResponse:
    phase, records = find_phase(phase_id), list_records(phase_id)
    between = [list_differences(a.data, b.data) for a, b in itertools.pairwise(records)]
    context = {
        "phase": phase,
        "records": [(row, sorted(flatten(row.data).items())) for row in records],
        "training": find_training_run(phase_id),
        "differences": between[0] if between else [],
    }
    return render(request, "phases/phase_record.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def phase_record_json(request: HttpRequest, phase_id: int) -> HttpResponse:
    phase, training = find_phase(phase_id), find_training_run(phase_id)
    data = {
        "run": phase.run.name,
        "phase": phase.number,
        **{row.moment: row.data for row in list_records(phase_id)},
        "training_process": training.provenance if training else None,
    }
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return send_json(text, f"{phase} record")
