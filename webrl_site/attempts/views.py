"""The page of a run's training episodes by template."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.models import Run
from webrl_site.attempts.page import Asked, describe_attempts


@require_safe
@role_required(ROLE_RESEARCHER)
def attempts(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    context = describe_attempts(run, Asked.read(request.GET))
    return render(request, "attempts/attempts.html", context)
