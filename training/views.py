"""A training run and a checkpoint: what exactly made them, and what they used."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_RESEARCHER, role_required
from training.selectors import checkpoints
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


@require_safe
@role_required(ROLE_RESEARCHER)
def checkpoint(request: HttpRequest, checkpoint_id: int) -> HttpResponse:
    """Show saved weights with their lineage, down to tasks and episodes."""
    row = checkpoints.find_checkpoint(checkpoint_id)
    if row is None:
        raise Http404(
            gettext("There is no checkpoint %(checkpoint_id)s.")
            % {"checkpoint_id": checkpoint_id}
        )
    trained = row.training_run_id
    context = {
        "checkpoint": row,
        "lineage": checkpoints.list_ancestry(row),
        "trained_on": checkpoints.list_trained_on(trained) if trained else [],
        "uses": checkpoints.list_uses(row.uri),
        "size": checkpoints.find_size(row.uri),
    }
    return render(request, "training/checkpoint.html", context)
