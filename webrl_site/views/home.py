"""Home: what runs, what waits, how well it goes, and one obvious next action."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role, role_required
from webrl_site.health import check_health
from webrl_site.overview import describe_home


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def home(request: HttpRequest) -> HttpResponse:
    context = describe_home(is_researcher=has_role(request.user, ROLE_RESEARCHER))
    template = "_home_live.html" if request.headers.get("HX-Request") else "home.html"
    return render(request, f"webrl_site/{template}", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def health(request: HttpRequest) -> HttpResponse:
    return render(request, "webrl_site/_health.html", {"checks": check_health()})
