"""One phase: its stages live, what it made, and the buttons that steer it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from rollouts import services as rollouts
from training.selectors.log import read_log
from training.services.directory import name_directory
from webrl_site.loop.wakeups import advance_after_commit
from webrl_site.phases.page import describe_phase, find_phase


@require_safe
@role_required(ROLE_RESEARCHER)
def phase_detail(request: HttpRequest, phase_id: int) -> HttpResponse:
    context = describe_phase(find_phase(phase_id))
    is_partial = request.headers.get("HX-Request") == "true"
    template = "_phase_live.html" if is_partial else "phase.html"
    return render(request, f"phases/{template}", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def phase_log(request: HttpRequest, phase_id: int) -> HttpResponse:
    """The end of the training process's log, with a search."""
    phase = find_phase(phase_id)
    text = request.GET.get("text", "")[:200]
    tail = read_log(name_directory(phase), text)
    is_partial = request.headers.get("HX-Request") == "true"
    template = "_log.html" if is_partial else "phase_log.html"
    context = {"phase": phase, "tail": tail, "text": text}
    return render(request, f"phases/{template}", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def stop_phase(request: HttpRequest, phase_id: int) -> HttpResponse:
    return _steer(
        request,
        phase_id,
        services.stop_phase,
        gettext("It is stopped; jobs end at their next step."),
    )


@require_POST
@role_required(ROLE_RESEARCHER)
def resume_phase(request: HttpRequest, phase_id: int) -> HttpResponse:
    return _steer(request, phase_id, services.resume_phase, gettext("It continues."))


@require_POST
@role_required(ROLE_RESEARCHER)
def finish_review(request: HttpRequest, phase_id: int) -> HttpResponse:
    return _steer(
        request, phase_id, services.finish_review, gettext("The review is finished.")
    )


@require_POST
@role_required(ROLE_RESEARCHER)
def name_served(request: HttpRequest, phase_id: int) -> HttpResponse:
    """Save the address at which the phase's weights are served."""
    uri = request.POST.get("served_uri", "").strip()[:300]
    service = functools.partial(rollouts.name_served_model, served_uri=uri)
    return _steer(request, phase_id, service, gettext("It continues."))


def _steer(
    request: HttpRequest, phase_id: int, service: Callable[..., Any], done: str
) -> HttpResponse:
    """Call one service, wake the loop, show a message, and redirect to the page."""
    find_phase(phase_id)
    try:
        service(phase_id=phase_id, by=request.user)
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        advance_after_commit(phase_id)
        messages.success(request, done)
    return redirect("phase", phase_id)
