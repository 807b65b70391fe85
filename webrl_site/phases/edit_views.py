"""Changing settings of a stopped or failed phase, and resuming it."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.events import ChangeData
from curriculum.models import Phase
from webrl_site.loop.reproducibility import digest_phase_weights, record_phase
from webrl_site.loop.wakeups import advance_after_commit
from webrl_site.phases.edit_form import EditForm
from webrl_site.phases.edits import (
    RULES,
    TRAINING,
    describe_reuse,
    find_stage,
    list_editable,
)
from webrl_site.phases.page import find_phase
from webrl_site.runs.config import complete


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def edit_phase(request: HttpRequest, phase_id: int) -> HttpResponse:
    """Show what may be changed at this stage; `resume` applies it and resumes."""
    phase = find_phase(phase_id)
    if phase.status not in (Phase.Status.STOPPED, Phase.Status.FAILED):
        messages.error(
            request,
            gettext("%(phase)s is still running; stop it first.") % {"phase": phase},
        )
        return redirect("phase", phase_id)
    form = _read_form(request, phase)
    problem = _find_conflict(request, phase, form)
    if "resume" in request.POST and form.is_valid() and not problem:
        try:
            return _apply(request, phase, form)
        except LeaseLost as error:
            phase, problem = find_phase(phase_id), error.message
            form = _read_form(request, phase)
    context = _describe(request, phase, form) | {"problem": problem}
    status = 409 if problem else 200
    return render(request, "phases/phase_edit.html", context, status=status)


def _read_form(request: HttpRequest, phase: Phase) -> EditForm:
    return EditForm(
        request.POST or None,
        config=complete(phase.run.config),
        editable=list_editable(phase),
    )


def _find_conflict(request: HttpRequest, phase: Phase, form: EditForm) -> str:
    """Return what to say if others have edited what this form showed, or else ""."""
    if not form.is_bound or not form.differences():
        return ""
    try:
        services.check_settings(phase.run, request.POST.get("based_on", ""))
    except LeaseLost as error:
        return error.message
    return ""


def _describe(request: HttpRequest, phase: Phase, form: EditForm) -> dict[str, Any]:
    differences = form.differences() if form.is_bound else []
    retrains = _retrains(phase, {one.key for one in differences})
    # With a mistake no differences are shown, so a conflict is still to be told.
    keeps = form.is_bound and not form.is_valid()
    now = services.digest_settings(phase.run)
    return {
        "phase": phase,
        "form": form,
        "based_on": request.POST.get("based_on", "") if keeps else now,
        "stage": Phase.Status(find_stage(phase)).label,
        "differences": differences,
        "reuse": describe_reuse(phase, retrains=retrains),
        "retrains": retrains,
    }


def _retrains(phase: Phase, changed: set[str]) -> bool:
    is_training = find_stage(phase) == Phase.Status.TRAINING
    return is_training and any(RULES[key] is TRAINING for key in changed)


def _apply(request: HttpRequest, phase: Phase, form: EditForm) -> HttpResponse:
    """Apply the form and resume.

    Raises:
        LeaseLost: Another person has edited the settings meanwhile.
    """
    changes = [
        ChangeData(key=one.key, before=one.before, after=one.after)
        for one in form.differences()
    ]
    retrains = _retrains(phase, {change["key"] for change in changes})
    try:
        # Read before anything changes: the object store may not answer.
        weights = digest_phase_weights(phase) if retrains else None
        services.edit_and_resume(
            phase_id=phase.pk,
            stage=find_stage(phase),
            config=form.cleaned_data["config"],
            based_on=request.POST.get("based_on", ""),
            changes=changes,
            by=cast(User, request.user),
        )
    except LeaseLost:
        raise
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        if retrains:
            record_phase(
                phase=find_phase(phase.pk),
                stage=Phase.Status.TRAINING,
                anew=True,
                weights=weights,
            )
        advance_after_commit(phase.pk)
        messages.success(
            request,
            ngettext(
                "It continues with %(count)s changed setting.",
                "It continues with %(count)s changed settings.",
                len(changes),
            )
            % {"count": len(changes)},
        )
    return redirect("phase", phase.pk)
