"""A training run and a checkpoint: what exactly made them, and what they used."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.paging import read_page
from training.forms import OrmExampleFilterForm
from training.models import Checkpoint
from training.selectors import checkpoints, orm_trainings
from training.selectors.loop import asks_evaluators
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
    row = _find(checkpoint_id)
    trained, run = row.training_run_id, row.training_run
    context = {
        "checkpoint": row,
        "by_outcome": bool(run and asks_evaluators(run.phase.run.config)),
        "learning": orm_trainings.find_learning(row.pk) if row.kind == "orm" else None,
        "sft": checkpoints.find_sft(row.pk) if row.kind == "policy" else None,
        "lineage": checkpoints.list_ancestry(row),
        "trained_on": checkpoints.list_trained_on(trained) if trained else [],
        "uses": checkpoints.list_uses(row.uri),
        "size": checkpoints.find_size(row.uri),
    }
    return render(request, "training/checkpoint.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def taught_episodes(request: HttpRequest, checkpoint_id: int) -> HttpResponse:
    """Show the episodes that a reward model learnt from or was measured on."""
    row = _find(checkpoint_id)
    form = OrmExampleFilterForm(request.GET)
    rows = orm_trainings.filter_examples(checkpoint_id=row.pk, **form.values())
    context = {"checkpoint": row, "form": form, "page": read_page(request, rows)}
    return render(request, "training/taught_episodes.html", context)


def _find(checkpoint_id: int) -> Checkpoint:
    row = checkpoints.find_checkpoint(checkpoint_id)
    if row is None:
        raise Http404(
            gettext("There is no checkpoint %(checkpoint_id)s.")
            % {"checkpoint_id": checkpoint_id}
        )
    return row
