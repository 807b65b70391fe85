"""Opening a run's next phase from a page."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from curriculum import services
from curriculum.errors import PhaseConflict, WorkbenchError
from webrl_site.launch.readiness import require_fit_sites
from webrl_site.loop.wakeups import advance_after_commit


def open_next_phase(request: HttpRequest, run_id: int) -> HttpResponse:
    """Open the next phase; if one is open already, go to it with a message."""
    try:
        require_fit_sites(run_id)
        phase = services.open_phase(run_id=run_id, created_by=cast(User, request.user))
    except WorkbenchError as error:
        messages.error(request, error.message)
        if isinstance(error, PhaseConflict) and error.phase_id:
            return redirect("phase", error.phase_id)
        return redirect("run", run_id)
    advance_after_commit(phase.pk)
    return redirect("phase", phase.pk)
