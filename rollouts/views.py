"""The trajectory list: every episode, by phase, purpose, site and outcome."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.paging import read_page
from rollouts.filter_chips import list_chips
from rollouts.forms import TrajectoryFilterForm
from rollouts.selectors.fates import count_list
from rollouts.selectors.pages import count_left_out_by_hand, filter_trajectories


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def trajectory_list(request: HttpRequest) -> HttpResponse:
    form = TrajectoryFilterForm(request.GET)
    filters = form.values()
    rows = filter_trajectories(**filters)
    page = read_page(request, rows)
    context = {
        "form": form,
        "page": page,
        "chips": list_chips(filters, request.GET),
        # Without a filter a rate would mix runs, phases and purposes.
        "counts": count_list(rows) if filters and page.count else None,
        "left_out_by_hand": count_left_out_by_hand(filters),
    }
    return render(request, "rollouts/trajectory_list.html", context)
