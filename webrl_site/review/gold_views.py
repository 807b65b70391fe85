"""Gold items, and how well reviewers decide them. For researchers only."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.forms import GoldForm
from curriculum.models import Task
from curriculum.paging import read_page
from curriculum.selectors.reviewing.desk import list_gold


@require_safe
@role_required(ROLE_RESEARCHER)
def gold_list(request: HttpRequest) -> HttpResponse:
    context = {"page": read_page(request, list_gold())}
    return render(request, "review/gold.html", context)


@require_POST
@role_required(ROLE_RESEARCHER)
def set_gold(request: HttpRequest, task_id: int) -> HttpResponse:
    get_object_or_404(Task, pk=task_id)
    form = GoldForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Choose whether accept or reject is right."))
        return redirect("task", task_id)
    accepts = form.cleaned_data["accepts"] == "yes"
    try:
        services.set_gold(
            task_id=task_id,
            accepts=accepts,
            why=form.cleaned_data["why"],
            by=cast(User, request.user),
        )
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, gettext("This task is a gold item."))
    return redirect("task", task_id)


@require_POST
@role_required(ROLE_RESEARCHER)
def drop_gold(request: HttpRequest, task_id: int) -> HttpResponse:
    get_object_or_404(Task, pk=task_id)
    services.drop_gold(task_id=task_id, by=cast(User, request.user))
    messages.success(request, gettext("This task is no longer a gold item."))
    return redirect("task", task_id)
