"""The replay of an episode, step by step."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from rollouts.selectors.pages import trajectories_in_full
from webrl_site.replay_view import describe_replay


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def replay(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    return render(request, "rollouts/replay.html", describe_replay(trajectory))
