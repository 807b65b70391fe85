"""Disputes: tasks whose reviewers disagree, their decisions side by side."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.forms import AdjudicationForm
from curriculum.models import Review, Task
from curriculum.paging import read_page
from curriculum.selectors.pages import tasks_with_family
from curriculum.selectors.reviewing.desk import list_disputes, list_votes
from curriculum.selectors.reviewing.own_decisions import find_last_review
from webrl_site.loop.wakeups import advance_after_commit
from webrl_site.task_pages.page import with_diffs


@require_safe
@role_required(ROLE_RESEARCHER)
def dispute_list(request: HttpRequest) -> HttpResponse:
    last = find_last_review(cast(User, request.user))
    is_mine = last is not None and last.kind == Review.Kind.ADJUDICATION
    context = {
        "page": read_page(request, list_disputes()),
        "last_review": last if is_mine else None,
    }
    return render(request, "review/disputes.html", context)


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def dispute(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(tasks_with_family(), pk=task_id)
    form = AdjudicationForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {}
    if form.is_valid():
        try:
            review = services.adjudicate(
                task_id=task.pk, by=cast(User, request.user), **form.cleaned_data
            )
        except WorkbenchError as error:
            context = {
                "problem": error.message,
                "is_lost": isinstance(error, LeaseLost),
            }
        else:
            return _go_on(request, review)
    status = 409 if context.get("is_lost") else 422 if form.errors else 200
    context |= {"task": task, "form": form, "reasons": Review.Reason.choices}
    context |= _describe(request, task)
    return render(request, "review/dispute.html", context, status=status)


def _describe(request: HttpRequest, task: Task) -> dict[str, Any]:
    votes = list_votes(task)
    given = request.POST.get("instruction", task.instruction)
    return {"votes": with_diffs(votes), "instruction": given}


def _go_on(request: HttpRequest, review: Review) -> HttpResponse:
    """Show the next dispute, or that there is none left."""
    word = (
        gettext("Rejected")
        if review.decision == Review.Decision.REJECT
        else gettext("Accepted")
    )
    messages.success(
        request,
        gettext("%(word)s. It can be undone from the list.") % {"word": word},
    )
    if review.task.born_in_id:
        advance_after_commit(review.task.born_in_id)
    following = list_disputes().values_list("pk", flat=True).first()
    return redirect("dispute", following) if following else redirect("disputes")
