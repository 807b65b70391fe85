"""The sites, and trying one of their tasks by hand."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from curriculum.errors import WorkbenchError
from curriculum.models import Task
from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.selectors.sites import describe_sites
from webrl_site import trying


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def site_list(request: HttpRequest) -> HttpResponse:
    context = {"sites": describe_sites()}
    return render(request, "webrl_site/site_list.html", context)


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def try_task(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task.objects.select_related("site"), pk=task_id)
    context: dict[str, object] = {"task": task, "possible": trying.can_be_tried(task)}
    try:
        if request.method == "POST" and "start" in request.POST:
            return _go_to_trial(task)
        sealed = (request.POST or request.GET).get("trial", "")
        if sealed:
            context["trial"] = trying.show(task, sealed)
            if request.method == "POST":
                answer = request.POST.get("answer", "").strip()
                context["result"] = trying.check(task, sealed, answer)
    except WorkbenchError as error:
        messages.error(request, error.message)
    return render(request, "webrl_site/try_task.html", context)


def _go_to_trial(task: Task) -> HttpResponse:
    query = urlencode({"trial": trying.start(task)})
    return redirect(f"{reverse('try_task', args=[task.pk])}?{query}")
