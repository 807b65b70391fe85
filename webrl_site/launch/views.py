"""The launch form: one state, shown as fields or as JSON, checked before a launch."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.models import Run
from curriculum.rules.ids import read_id
from curriculum.selectors.pages import suggest_run_name
from webrl_site.launch.disk_use import forecast_disk
from webrl_site.launch.forecast import Plan, forecast_phase
from webrl_site.launch.forms import PRESET_TEXTS, RunForm
from webrl_site.launch.preflight import check_launch, count_tasks
from webrl_site.launch.site_forecast import SiteForecast, forecast_resets
from webrl_site.runs.document import (
    GENERAL,
    LONGEST,
    Reading,
    read_document,
    write_document,
)
from webrl_site.runs.opening import open_next_phase
from webrl_site.server.downloads import send_json

EPISODE_STAGES = ("baseline", "collecting", "evaluating")
# Buttons that check the state without making a run.
LOOKS = ("show", "load", "check", "download")


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def run_new(request: HttpRequest) -> HttpResponse:
    parent = _find_parent(request)
    form = _read_form(request, parent)
    only_looks = any(name in request.POST for name in LOOKS)
    if request.method == "POST" and not only_looks and form.is_valid():
        made = _create(request, form, parent)
        if made:
            return _go_on(request, made, starts="launch" in request.POST)
    if "download" in request.POST:
        return send_json(write_document(form.document()), str(form["name"].value()))
    if request.POST.get("check") == "part" and not form["name"].value():
        # There may be no name yet; it is required only at the launch.
        form.errors.pop("name", None)
    is_part = request.headers.get("HX-Request") == "true"
    context = _describe(request, form, parent) | {"is_part": is_part}
    template = "_launch_check.html" if is_part else "run_new.html"
    return render(request, f"launch/{template}", context)


def _find_parent(request: HttpRequest) -> Run | None:
    """Return the run that `?from=` names."""
    raw = request.GET.get("from", "")
    if not raw:
        return None
    return get_object_or_404(Run, pk=read_id(raw) or 0)


def _read_form(request: HttpRequest, parent: Run | None) -> RunForm:
    """Fill the form from its fields, from the JSON view or from a file."""
    reading = _read_view(request)
    if "load" in request.POST:
        file = _read_file(request)
        # A file that cannot be read must not discard what was typed before.
        before = reading.values if reading else request.POST
        reading = file if file.values else Reading(before, file.mistakes)
    preset = request.GET.get("preset", "demo")
    form = RunForm(request.POST or None, preset=preset, parent=parent, reading=reading)
    if parent is not None:
        form.fields["name"].initial = suggest_run_name(parent.name)
    return form


def _read_view(request: HttpRequest) -> Reading | None:
    """Read the JSON view, if it was sent in place of the fields."""
    if request.POST.get("view") != "json":
        return None
    return read_document(request.POST.get("document", ""))


def _read_file(request: HttpRequest) -> Reading:
    file = request.FILES.get("file")
    if file is None:
        return Reading({}, {"": [gettext("Choose a file first.")]})
    return _decode(file.read(4 * LONGEST + 1))


def _decode(data: bytes) -> Reading:
    try:
        return read_document(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Reading({}, {"": [gettext("The file is not UTF-8 text.")]})


def _describe(
    request: HttpRequest, form: RunForm, parent: Run | None
) -> dict[str, Any]:
    sent = request.POST
    view = sent.get("show") or sent.get("view") or request.GET.get("view", "form")
    was_shown = sent.get("view") == "json" and "load" not in sent
    # Typed text stays as it is, including mistakes and spaces.
    document = sent.get("document", "") if was_shown else ""
    if was_shown and form.is_broken:
        view = "json"
    return {
        "form": form,
        "parent": parent,
        "presets": PRESET_TEXTS,
        "preset": request.GET.get("preset", "demo"),
        "view": "json" if view == "json" else "form",
        "document": document or write_document(form.document()),
        "is_check": any(name in sent for name in LOOKS),
        # Changing the view does nothing that could be refused.
        "is_refused": bool(sent and form.errors and "show" not in sent),
        # Checking sites takes a while: the page requests it after it is loaded.
        **(_look_ahead(form) if "check" in sent else {}),
    }


def _look_ahead(form: RunForm) -> dict[str, Any]:
    """Return pre-flight checks and forecast; nothing for a form with mistakes."""
    values = form.settings()
    if values is None:
        return {}
    config = values["config"]
    train, test = count_tasks(config)
    plan = Plan(config, values["policy_uri"], train, test)
    forecast = forecast_phase(plan)
    episodes = sum(plan.count(stage) for stage in EPISODE_STAGES)
    disk = forecast_disk(forecast.phases, episodes, config.get("rollout", {}))
    checks = check_launch(values, disk.bytes if disk else None)
    return {
        "checks": checks,
        "forecast": forecast,
        "disk": disk,
        "resets": _forecast_resets(config, plan),
    }


def _forecast_resets(config: Mapping[str, Any], plan: Plan) -> list[SiteForecast]:
    """Return nothing if SITE_RESETS has a mistake: the Sites page reports it."""
    tests = [plan.count(stage) for stage in ("baseline", "evaluating")]
    try:
        return forecast_resets(
            config,
            collected=plan.count("collecting"),
            measured=sum(tests),
            stages=len(EPISODE_STAGES),
        )
    except WorkbenchError:
        return []


def _create(request: HttpRequest, form: RunForm, parent: Run | None) -> list[Run]:
    """Make the run, or all of a sweep; none if one of them is refused."""
    values: dict[str, Any] = {key: form.cleaned_data[key] for key in GENERAL}
    user = cast(User, request.user)
    try:
        with transaction.atomic():
            return [
                services.create_run(
                    created_by=user,
                    parent=parent,
                    **values | dataclasses.asdict(variant),
                )
                for variant in form.cleaned_data["variants"]
            ]
    except WorkbenchError as error:
        form.add_error(None, error.message)
        return []


def _go_on(request: HttpRequest, made: list[Run], *, starts: bool) -> HttpResponse:
    """Show what was made, and start it if the user chose that."""
    opened = [open_next_phase(request, run.pk) for run in made] if starts else []
    if len(made) == 1:
        return opened[0] if opened else redirect("run", made[0].pk)
    said = ngettext("%(n)s run was made.", "%(n)s runs were made.", len(made))
    messages.success(request, said % {"n": len(made)})
    asked = "&".join(f"run={run.pk}" for run in made)
    return redirect(f"{reverse('compare_runs')}?{asked}")
