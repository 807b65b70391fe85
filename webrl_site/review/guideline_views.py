"""The reviewers' guidelines: the newest, earlier ones, and a new version."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from curriculum import services
from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.forms import GuidelineForm
from curriculum.selectors.reviewing.guidelines import find_guideline, list_guidelines
from webrl_site.task_pages.page import diff_lines


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def guideline_list(request: HttpRequest) -> HttpResponse:
    context = {"guideline": find_guideline(), "versions": list_guidelines()}
    return render(request, "review/guidelines.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def guideline(request: HttpRequest, version: int) -> HttpResponse:
    shown = find_guideline(version)
    if shown is None:
        raise Http404(
            gettext("There is no version %(version)s.") % {"version": version}
        )
    before = find_guideline(version - 1)
    pieces = diff_lines(before.text, shown.text) if before else []
    context = {"guideline": shown, "before": before, "pieces": pieces}
    return render(request, "review/guideline.html", context)


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def edit(request: HttpRequest) -> HttpResponse:
    newest = find_guideline()
    text, version = (newest.text, newest.version) if newest else ("", 0)
    context: dict[str, Any] = {"text": text, "based_on": version, "newest": newest}
    status = 200
    if request.method == "POST":
        form = GuidelineForm(request.POST)
        context |= {"text": request.POST.get("text", "")}
        try:
            return _save(request, form)
        except WorkbenchError as error:
            context |= {"problem": error.message}
            status = 409 if isinstance(error, LeaseLost) else 200
    return render(request, "review/guideline_edit.html", context, status=status)


def _save(request: HttpRequest, form: GuidelineForm) -> HttpResponse:
    if not form.is_valid():
        raise WorkbenchError(gettext("The form is incomplete; reload the page."))
    made = services.write_guideline(by=cast(User, request.user), **form.cleaned_data)
    messages.success(
        request,
        gettext("Version %(version)s is what reviewers see now.")
        % {"version": made.version},
    )
    return redirect("guidelines")


@require_POST
@role_required(ROLE_RESEARCHER)
def preview(request: HttpRequest) -> HttpResponse:
    context = {"text": request.POST.get("text", "")[:40_000]}
    return render(request, "review/_guideline_preview.html", context)
