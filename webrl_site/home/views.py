"""Home: what runs, what waits, the results, and one obvious next action."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from curriculum.access.roles import (
    ROLE_ANNOTATOR,
    ROLE_RESEARCHER,
    has_role,
    role_required,
)
from webrl_site.home.first_steps import read_progress
from webrl_site.home.page import describe_home
from webrl_site.home.tour import choose_stops
from webrl_site.server.health import check_health


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def home(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    is_researcher = has_role(user, ROLE_RESEARCHER)
    context = describe_home(reader_id=user.pk, is_researcher=is_researcher)
    if request.headers.get("HX-Request"):
        return render(request, "home/_home_live.html", context)
    context["first_steps"] = read_progress(user)
    if context["first_steps"].wants_tour:
        context["tour"] = choose_stops(user)
    return render(request, "home/home.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def health(request: HttpRequest) -> HttpResponse:
    """The health card's contents, which are not a page by themselves."""
    if not request.headers.get("HX-Request"):
        return redirect("home")
    return render(request, "home/_home_health.html", {"checks": check_health()})
