"""The ledger of a run's test tasks, and a phase's summary of it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.models import Phase, Run
from webrl_site.ledger.asking import Asked
from webrl_site.ledger.page import describe_ledger, describe_summary


@require_safe
@role_required(ROLE_RESEARCHER)
def ledger(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    context = describe_ledger(run, Asked.read(request.GET))
    return render(request, "ledger/ledger.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def phase_ledger(request: HttpRequest, phase_id: int) -> HttpResponse:
    """A part of the phase's page."""
    phase = get_object_or_404(Phase.objects.select_related("run"), pk=phase_id)
    context = describe_summary(phase.run, phase.pk)
    return render(request, "ledger/_phase_ledger.html", context)
