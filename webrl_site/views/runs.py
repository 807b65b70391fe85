"""Runs: the list, the launch form, one run from its first weights to its last."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from curriculum import services
from curriculum.errors import PhaseConflict, WorkbenchError
from curriculum.models import Run
from curriculum.paging import read_page
from curriculum.roles import ROLE_RESEARCHER, role_required
from curriculum.selectors.pages import list_runs
from webrl_site.forms import PRESET_TEXTS, RunForm
from webrl_site.run_view import describe_run
from webrl_site.tasks import advance_phase


@require_safe
@role_required(ROLE_RESEARCHER)
def run_list(request: HttpRequest) -> HttpResponse:
    context = {"page": read_page(request, list_runs())}
    return render(request, "webrl_site/run_list.html", context)


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def run_new(request: HttpRequest) -> HttpResponse:
    preset = request.GET.get("preset", "demo")
    form = RunForm(request.POST or None, preset=preset)
    if request.method == "POST" and form.is_valid():
        run = _create(request, form)
        if run is not None:
            launch = "launch" in request.POST
            return _launch(request, run.pk) if launch else redirect("run", run.pk)
    context = {"form": form, "presets": PRESET_TEXTS, "preset": preset}
    return render(request, "webrl_site/run_new.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def run_detail(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("created_by"), pk=run_id)
    return render(request, "webrl_site/run.html", describe_run(run))


@require_POST
@role_required(ROLE_RESEARCHER)
def open_phase(request: HttpRequest, run_id: int) -> HttpResponse:
    get_object_or_404(Run, pk=run_id)
    return _launch(request, run_id)


def _launch(request: HttpRequest, run_id: int) -> HttpResponse:
    """Open the next phase; where one is open already, go there and say so."""
    try:
        phase = services.open_phase(run_id=run_id, created_by=_user(request))
    except WorkbenchError as error:
        messages.error(request, error.message)
        if isinstance(error, PhaseConflict) and error.phase_id:
            return redirect("phase", error.phase_id)
        return redirect("run", run_id)
    advance_phase.delay_on_commit(phase.pk)
    return redirect("phase", phase.pk)


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


def _create(request: HttpRequest, form: RunForm) -> Run | None:
    fields = ("name", "config", "seed", "auto_accept")
    uris = ("policy_uri", "critic_uri", "orm_uri")
    values: dict[str, Any] = {key: form.cleaned_data[key] for key in fields + uris}
    try:
        return services.create_run(created_by=_user(request), **values)
    except WorkbenchError as error:
        form.add_error(None, error.message)
        return None
