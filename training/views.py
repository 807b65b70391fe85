"""One training run: its configuration, what it used, what exactly made it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_RESEARCHER, role_required
from training.selectors.pages import count_experiences, training_runs


@require_safe
@role_required(ROLE_RESEARCHER)
def training_run(request: HttpRequest, training_id: int) -> HttpResponse:
    training = get_object_or_404(training_runs(), pk=training_id)
    context = {
        "training": training,
        "experience": count_experiences(training.pk),
        "checkpoints": training.checkpoints.all(),
    }
    return render(request, "training/training_run.html", context)
