"""The sites: their list, resets, and opening one that was closed."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.models import Site
from curriculum.selectors.sites import describe_sites
from rollouts import services as rollouts
from rollouts.selectors.sites import describe_conditions
from rollouts.site_settings.resets import find_resets
from rollouts.tasks import reset_site as reset_job


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def site_list(request: HttpRequest) -> HttpResponse:
    context = {
        "sites": describe_sites(),
        "conditions": describe_conditions(),
        "resettable": _list_resettable(request),
    }
    return render(request, "sites/site_list.html", context)


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
