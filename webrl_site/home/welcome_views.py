"""The tour and the first steps: ended, started again, hidden."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from webrl_site.home import welcome


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def end_tour(request: HttpRequest) -> HttpResponse:
    """Remember the end of the tour; its page stays as it is."""
    welcome.end_tour(cast(User, request.user))
    is_htmx = request.headers.get("HX-Request") == "true"
    return HttpResponse(status=204) if is_htmx else redirect("home")


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def restart_tour(request: HttpRequest) -> HttpResponse:
    welcome.restart_tour(cast(User, request.user))
    return redirect("home")


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def hide_steps(request: HttpRequest) -> HttpResponse:
    welcome.hide_steps(cast(User, request.user))
    return redirect("home")
