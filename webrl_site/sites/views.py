"""The sites: their list, the set-up of each, resets, and opening closed ones."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from curriculum import services as curriculum
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.models import Site
from curriculum.selectors.sites import describe_sites, find_example
from rollouts import services as rollouts
from rollouts.selectors.instances.checks import find_shared_cookies
from rollouts.selectors.sites import describe_conditions, name_instance
from rollouts.site_settings.resets import find_resets
from rollouts.site_settings.sign_in_file import parse_sign_ins
from webrl_site.launch.site_checks import say_shared
from webrl_site.loop.wakeups import enqueue_after_commit
from webrl_site.sites.forms import InstanceForm, NumberForm
from webrl_site.sites.page import (
    InstanceView,
    describe_instances,
    describe_steps,
    is_awaited,
)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def site_list(request: HttpRequest) -> HttpResponse:
    context = {
        "sites": describe_sites(),
        "conditions": {
            site_id: found
            for (site_id, number), found in describe_conditions().items()
            if number == 1
        },
        "resettable": _list_resettable(request),
    }
    return render(request, "sites/site_list.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def site_detail(request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the set-up of one site, instance by instance."""
    site = get_object_or_404(Site, pk=site_id)
    instances = _describe_instances(request, site)
    context = {
        "site": site,
        "instances": instances,
        "checks": describe_steps(instances, signs_in=_signs_in(request, site)),
        "is_awaited": is_awaited(instances),
        "form": InstanceForm(),
        "example": find_example(site.pk) if site.kind == Site.Kind.SANDBOX else None,
        "shared": _find_shared(site),
    }
    return render(request, "sites/site.html", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def add_instance(request: HttpRequest, site_id: int) -> HttpResponse:
    """Add an instance; only administrators may, since they decide where agents go."""
    site = _find_for_admin(request, site_id)
    form = InstanceForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("The address must be an http(s) address."))
        return redirect("site", site.pk)
    url = form.cleaned_data["url"]
    return _act(
        request,
        site,
        lambda: curriculum.add_site_instance(key=site.key, url=url),
        gettext("%(name)s has one more instance.") % {"name": site.name},
    )


@require_POST
@role_required(ROLE_RESEARCHER)
def remove_instance(request: HttpRequest, site_id: int) -> HttpResponse:
    """Remove an instance's address; its running episodes continue to their end."""
    site = _find_for_admin(request, site_id)
    number = NumberForm(request.POST).read()
    name = name_instance(site.name, number)

    def remove() -> None:
        if not curriculum.remove_site_instance(key=site.key, number=number):
            told = gettext("%(name)s has no instance %(number)s.")
            raise WorkbenchError(told % {"name": site.name, "number": number})

    return _act(
        request,
        site,
        remove,
        gettext("%(name)s gets no more episodes.") % {"name": name},
    )


@require_POST
@role_required(ROLE_RESEARCHER)
def reset_site(request: HttpRequest, site_id: int) -> HttpResponse:
    """Request the reset of an instance; the worker of the sites carries it out."""
    site = get_object_or_404(Site, pk=site_id)
    number = NumberForm(request.POST).read()

    def want() -> None:
        rollouts.request_reset(key=site.key, number=number)
        enqueue_after_commit("rollouts.tasks.reset_site", site.pk, number)

    name = name_instance(site.name, number)
    told = gettext("%(name)s will be reset once no episode uses it.") % {"name": name}
    return _act(request, site, want, told)


@require_POST
@role_required(ROLE_RESEARCHER)
def check_site(request: HttpRequest, site_id: int) -> HttpResponse:
    """Request a check of all instances; a worker with a browser carries it out."""
    site = get_object_or_404(Site, pk=site_id)

    def want() -> None:
        rollouts.request_check(site_id=site.pk)
        enqueue_after_commit("rollouts.tasks.check_site", site.pk)

    told = gettext("%(name)s is being checked.") % {"name": site.name}
    return _act(request, site, want, told)


@require_POST
@role_required(ROLE_RESEARCHER)
def open_site(request: HttpRequest, site_id: int) -> HttpResponse:
    site = get_object_or_404(Site, pk=site_id)
    number = NumberForm(request.POST).read()
    return _act(
        request,
        site,
        lambda: rollouts.open_site(key=site.key, number=number),
        gettext("%(name)s is open.") % {"name": name_instance(site.name, number)},
    )


def _act(
    request: HttpRequest, site: Site, act: Callable[[], object], told: str
) -> HttpResponse:
    """Do it, show a message about the result, and redirect to the previous page."""
    try:
        act()
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, told)
    if request.POST.get("from") == "list":
        return redirect("site_list")
    return redirect("site", site.pk)


def _find_for_admin(request: HttpRequest, site_id: int) -> Site:
    if not request.user.is_superuser:
        raise PermissionDenied
    return get_object_or_404(Site, pk=site_id)


def _find_shared(site: Site) -> list[str]:
    """Say with which other sites this one shares a cookie."""
    keys = Site.objects.filter(kind=Site.Kind.EXTERNAL).values_list("key", flat=True)
    found = find_shared_cookies(list(keys))
    return [say_shared(one) for one in found if site.key in one.keys]


def _signs_in(request: HttpRequest, site: Site) -> bool:
    try:
        return site.key in parse_sign_ins(settings.SITE_SIGN_INS)
    except WorkbenchError as error:
        messages.error(request, error.message)
        return False


def _describe_instances(request: HttpRequest, site: Site) -> list[InstanceView]:
    try:
        return describe_instances(site)
    except WorkbenchError as error:
        messages.error(request, error.message)
        return []


def _list_resettable(request: HttpRequest) -> list[str]:
    """Return the keys of the sites that the settings can reset."""
    try:
        return list(find_resets())
    except WorkbenchError as error:
        messages.error(request, error.message)
        return []
