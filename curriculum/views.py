"""The curriculum list: every task, by what it is and how it fares."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.forms import TaskFilterForm
from curriculum.paging import read_page
from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.selectors.pages import filter_tasks


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def task_list(request: HttpRequest) -> HttpResponse:
    form = TaskFilterForm(request.GET)
    page = read_page(request, filter_tasks(**form.values()))
    context = {"form": form, "page": page}
    return render(request, "curriculum/task_list.html", context)
