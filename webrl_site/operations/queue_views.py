"""Queue and workers: which are alive, what each does, and what waits for them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from webrl_site.operations.queue_page import describe_queue


@require_safe
@role_required(ROLE_RESEARCHER)
def queue(request: HttpRequest) -> HttpResponse:
    is_partial = request.headers.get("HX-Request") == "true"
    template = "_queue_live.html" if is_partial else "queue.html"
    return render(request, f"operations/{template}", describe_queue())
