"""The sites, and trying one of their tasks by hand."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.models import Site, Task
from curriculum.selectors.sites import describe_sites
from rollouts import services as rollouts
from rollouts.selectors.sites import describe_conditions
from rollouts.site_settings.resets import find_resets
from rollouts.tasks import reset_site as reset_job
from webrl_site import trying


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def site_list(request: HttpRequest) -> HttpResponse:
    context = {
        "sites": describe_sites(),
        "conditions": describe_conditions(),
        "resettable": _list_resettable(request),
    }
    return render(request, "webrl_site/site_list.html", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def reset_site(request: HttpRequest, site_id: int) -> HttpResponse:
    """Want the reset; the worker of the sites carries it out."""
    site = get_object_or_404(Site, pk=site_id)
    try:
        rollouts.request_reset(key=site.key)
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        reset_job.delay_on_commit(site.pk)
        messages.success(
            request,
            gettext("%(name)s is reset once nobody uses it.") % {"name": site.name},
        )
    return redirect("site_list")


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def try_task(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task.objects.select_related("site"), pk=task_id)
    context: dict[str, object] = {"task": task, "possible": trying.can_be_tried(task)}
    try:
        if request.method == "POST" and "start" in request.POST:
            return _go_to_trial(task)
        sealed = (request.POST or request.GET).get("trial", "")
        if sealed:
            context["trial"] = trying.show(task, sealed)
            if request.method == "POST":
                answer = request.POST.get("answer", "").strip()
                context["result"] = trying.check(task, sealed, answer)
    except WorkbenchError as error:
        messages.error(request, error.message)
    return render(request, "webrl_site/try_task.html", context)


def _go_to_trial(task: Task) -> HttpResponse:
    query = urlencode({"trial": trying.start(task)})
    return redirect(f"{reverse('try_task', args=[task.pk])}?{query}")


@require_POST
@role_required(ROLE_RESEARCHER)
def open_site(request: HttpRequest, site_id: int) -> HttpResponse:
    site = get_object_or_404(Site, pk=site_id)
    try:
        rollouts.open_site(key=site.key)
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, gettext("%(name)s is open.") % {"name": site.name})
    return redirect("site_list")


def _list_resettable(request: HttpRequest) -> list[str]:
    """Return the keys of the sites that the settings can reset."""
    try:
        return list(find_resets())
    except WorkbenchError as error:
        messages.error(request, error.message)
        return []
