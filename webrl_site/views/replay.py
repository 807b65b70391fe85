"""The replay of an episode, step by step."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from rollouts.selectors.pages import trajectories_in_full
from webrl_site.replay.episode import describe_panel, describe_replay, open_episode


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def replay(
    request: HttpRequest, trajectory_id: int, number: int | None = None
) -> HttpResponse:
    """Show one step of an episode, the first unless named; alone where htmx asks."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    episode = open_episode(trajectory)
    if number is not None and not 1 <= number <= len(episode.outlines):
        raise Http404(f"Episode {trajectory_id} has no step {number}.")
    if number and request.headers.get("HX-Request") == "true":
        panel = describe_panel(episode, number)
        return render(request, "rollouts/_step.html", panel)
    training = request.GET.get("training", "")
    context = describe_replay(
        episode, number or 1, int(training) if training.isdecimal() else None
    )
    return render(request, "rollouts/replay.html", context)
