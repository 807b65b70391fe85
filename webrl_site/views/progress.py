"""Decisions: how many a day, how fast, how well; one's own, and the team's."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from webrl_site.review_progress import describe_progress, describe_team


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def progress(request: HttpRequest) -> HttpResponse:
    context = describe_progress(cast(User, request.user))
    return render(request, "webrl_site/progress.html", context)


@require_safe
@role_required(ROLE_RESEARCHER)
def team(request: HttpRequest) -> HttpResponse:
    return render(request, "webrl_site/team.html", describe_team())
