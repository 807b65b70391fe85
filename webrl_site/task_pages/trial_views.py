"""Trying a task by hand."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.models import Task
from webrl_site.task_pages import manual_trials


@require_http_methods(["GET", "POST"])
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def try_task(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task.objects.select_related("site"), pk=task_id)
    context: dict[str, object] = {
        "task": task,
        "possible": manual_trials.can_be_tried(task),
    }
    try:
        if request.method == "POST" and "start" in request.POST:
            return _go_to_trial(task)
        sealed = (request.POST or request.GET).get("trial", "")
        if sealed:
            context["trial"] = manual_trials.show(task, sealed)
            if request.method == "POST":
                # It stays in its field, also where the sandbox does not answer.
                answer = context["answer"] = request.POST.get("answer", "").strip()
                context["result"] = manual_trials.check(task, sealed, answer)
    except WorkbenchError as error:
        messages.error(request, error.message)
    return render(request, "task_pages/try_task.html", context)


def _go_to_trial(task: Task) -> HttpResponse:
    query = urlencode({"trial": manual_trials.start(task)})
    return redirect(f"{reverse('try_task', args=[task.pk])}?{query}")
