"""One task: its instruction, its checks, its origin and its results."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.access.roles import (
    ROLE_ANNOTATOR,
    ROLE_RESEARCHER,
    has_role,
    role_required,
)
from curriculum.selectors import pages
from curriculum.selectors.reviewing.desk import find_gold, list_flags
from curriculum.selectors.reviewing.gold_cover import list_children, with_cover
from curriculum.selectors.reviewing.opinions import read_opinion, with_opinions
from rollouts.selectors.fates import list_attempts
from rollouts.selectors.pages import list_episodes_of_task
from webrl_site.task_pages.family import find_family
from webrl_site.task_pages.history import write_history
from webrl_site.task_pages.page import describe_evaluators


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def task_detail(request: HttpRequest, task_id: int) -> HttpResponse:
    tasks = with_opinions(pages.tasks_with_family(), request.user)
    task = get_object_or_404(tasks, pk=task_id)
    opinion = read_opinion(task)
    # A blind review also hides other people's opinions.
    is_alone = opinion.is_hidden or opinion.is_covered
    only = cast(User, request.user) if is_alone else None
    # A task that waits has no attempts and no children.
    is_open = not opinion.is_covered
    attempts = list_attempts(task.pk) if is_open else []
    context = {
        "task": task,
        "opinion": opinion,
        "evaluators": describe_evaluators(task.spec),
        "ancestors": pages.list_ancestors(task),
        "children": list_children(task, request.user) if is_open else [],
        "history": write_history(
            task, opinion, pages.list_reviews(task, only), attempts
        ),
        "gold": find_gold(task) if has_role(request.user, ROLE_RESEARCHER) else None,
        "flags": list_flags(task, only),
        "episodes": list_episodes_of_task(task.pk) if is_open else [],
    }
    return render(request, "task_pages/task.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def task_family(request: HttpRequest, task_id: int) -> HttpResponse:
    tasks = with_cover(pages.tasks_with_family(), request.user)
    task = get_object_or_404(tasks, pk=task_id)
    context = {"task": task, "family": find_family(task, request.user)}
    return render(request, "task_pages/family.html", context)
