"""Pages of decisions: number, speed and quality, of a person and of the team."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.forms import OwnDecisionsForm
from curriculum.paging import read_page
from curriculum.selectors.reviewing.own_decisions import (
    is_phase_covered,
    list_decisions_of,
)
from webrl_site.review.progress import describe_progress, describe_team
from webrl_site.task_pages.page import with_diffs


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def progress(request: HttpRequest) -> HttpResponse:
    context = describe_progress(cast(User, request.user))
    return render(request, "review/progress.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def decisions(request: HttpRequest) -> HttpResponse:
    return _list_decisions(request, of=cast(User, request.user))


@require_safe
@role_required(ROLE_RESEARCHER)
def person_decisions(request: HttpRequest, user_id: int) -> HttpResponse:
    return _list_decisions(request, of=get_object_or_404(User, pk=user_id))


@require_safe
@role_required(ROLE_RESEARCHER)
def team(request: HttpRequest) -> HttpResponse:
    return render(request, "review/team.html", describe_team())


def _list_decisions(request: HttpRequest, *, of: User) -> HttpResponse:
    reader, form = cast(User, request.user), OwnDecisionsForm(request.GET)
    found = list_decisions_of(of, reader=reader, **form.values())
    page = read_page(request, found)
    context = {
        "form": form,
        "page": page,
        "rows": with_diffs(page.rows),
        "person": of,
        "is_own": of == reader,
        "is_covered": is_phase_covered(reader),
    }
    return render(request, "review/decisions.html", context)
