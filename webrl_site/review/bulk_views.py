"""Many waiting tasks at once: choose, see exactly which, decide, take back."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from curriculum import services
from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.forms import BulkForm, WaitingFilterForm
from curriculum.models import ReviewBatch
from curriculum.selectors.reviewing.bulk import (
    filter_held,
    find_last_batch,
    list_ending_phases,
    list_waiting,
)
from curriculum.services.reviewing.bulk_reviews import MOST
from webrl_site.loop.wakeups import advance_after_commit


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def bulk(request: HttpRequest) -> HttpResponse:
    """GET chooses; POST shows what would be decided, and decides when confirmed."""
    form = BulkForm(request.POST or None)
    context = {} if request.method == "GET" else _answer(request, form)
    if context is None:
        query = request.GET.urlencode()
        return redirect(f"{reverse('bulk')}?{query}" if query else reverse("bulk"))
    context |= {"form": form}
    if "chosen" in context:
        return render(request, "review/bulk_preview.html", context)
    context |= _describe(request)
    return render(request, "review/bulk.html", context)


def _answer(request: HttpRequest, form: BulkForm) -> dict[str, Any] | None:
    """Return the page's variables, or None when all is decided."""
    if not form.is_valid():
        return {"problem": gettext("Choose accept or reject.")}
    data = form.cleaned_data
    if "back" in request.POST:
        return {"ticked": set(data["task_ids"])}
    try:
        if "sure" in request.POST:
            _decide(request, data)
            return None
        return _preview(request, data)
    except WorkbenchError as error:
        return {"problem": error.message, "ticked": set(data["task_ids"])}


def _preview(request: HttpRequest, data: dict[str, Any]) -> dict[str, Any]:
    reviewer = cast(User, request.user)
    services.check_many(by=reviewer, **{k: v for k, v in data.items() if k != "note"})
    asked = set(data["task_ids"])
    chosen = list_waiting({}).filter(pk__in=asked)
    # They are left out, so their phases do not end.
    held = set(filter_held(chosen, reviewer.pk).values_list("pk", flat=True))
    return {
        "chosen": chosen,
        "gone": len(asked) - chosen.count(),
        "held": len(held),
        "ending": list_ending_phases(asked - held),
    }


def _decide(request: HttpRequest, data: dict[str, Any]) -> None:
    done = services.decide_many(by=cast(User, request.user), **data)
    for phase_id in done.phase_ids:
        advance_after_commit(phase_id)
    said = (
        gettext("%(count)s rejected.")
        if data["decision"] == "reject"
        else gettext("%(count)s accepted.")
    )
    text = said % {"count": done.count}
    if done.taken:
        text += gettext(
            " %(taken)s left out: reserved by someone else, or since decided."
        ) % {"taken": done.taken}
    if done.leaks:
        text += gettext(" %(leaks)s left out: they resemble test tasks.") % {
            "leaks": done.leaks
        }
    messages.success(request, text)


def _describe(request: HttpRequest) -> dict[str, Any]:
    filters, reviewer = WaitingFilterForm(request.GET), cast(User, request.user)
    fitting = list_waiting(filters.values())
    return {
        "filters": filters,
        "rows": fitting[:MOST],
        "count": fitting.count(),
        "held": filter_held(fitting, reviewer.pk).count(),
        "most": MOST,
        "batch": find_last_batch(reviewer.pk),
    }


@require_POST
@role_required(ROLE_RESEARCHER)
def undo(request: HttpRequest, batch_id: int) -> HttpResponse:
    get_object_or_404(ReviewBatch, pk=batch_id)
    try:
        count = services.undo_batch(batch_id=batch_id, by=cast(User, request.user))
    except WorkbenchError as error:
        messages.error(request, error.message)
    else:
        messages.success(
            request,
            gettext("Undone: %(count)s tasks are waiting again.") % {"count": count},
        )
    return redirect("bulk")
