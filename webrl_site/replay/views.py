"""The replay of an episode, step by step."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from curriculum.errors import WorkbenchError
from curriculum.rules.ids import MAX_ID, read_id
from rollouts.forms import HumanVerdictForm
from rollouts.models import EvidenceKind, Trajectory
from rollouts.selectors.evidence import map_removed
from rollouts.selectors.pages import trajectories_in_full
from rollouts.services import record_human_verdict, take_verdict_back
from rollouts.services.error_types import correct_error_type
from webrl_site.home.welcome import note_replay
from webrl_site.recorded import trace_viewer
from webrl_site.replay.addresses import describe_removal
from webrl_site.replay.bundle import Bundle
from webrl_site.replay.comparison import Comparison, describe_comparison
from webrl_site.replay.episode import (
    describe_panel,
    describe_progress,
    describe_replay,
    open_episode,
)
from webrl_site.replay.verdicts import describe_verdicts
from webrl_site.verdicts.verdict_first import (
    find_next,
    follow_wish,
    is_judging_first,
    show_verdicts,
)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def replay(
    request: HttpRequest, trajectory_id: int, number: int | None = None
) -> HttpResponse:
    """Show one step of an episode, by default the first; only the step if htmx asks.

    A person who judges before seeing verdicts begins at the last step, with the result.
    """
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    follow_wish(request, trajectory)
    is_blind = is_judging_first(request, trajectory_id)
    episode = open_episode(trajectory, is_blind=is_blind)
    if number is not None and not 1 <= number <= len(episode.outlines):
        raise Http404(
            gettext("Episode %(trajectory_id)s has no step %(number)s.")
            % {"trajectory_id": trajectory_id, "number": number}
        )
    if number and request.headers.get("HX-Request") == "true":
        panel = describe_panel(episode, number, is_blind=is_blind)
        return render(request, "replay/_step.html", panel)
    context = describe_replay(
        episode,
        number or (max(len(episode.outlines), 1) if is_blind else 1),
        request.user,
        read_id(request.GET.get("training")),
        is_blind=is_blind,
    )
    context["next_to_judge"] = find_next(request, trajectory)
    _note_first(request)
    return render(request, "replay/replay.html", context)


def _note_first(request: HttpRequest) -> None:
    """Tick the first step, with one query in a session."""
    if "replay_opened" not in request.session:
        note_replay(cast(User, request.user))
        request.session["replay_opened"] = True


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def replay_live(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """The parts of the page that change while an episode runs."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    is_blind = is_judging_first(request, trajectory_id)
    episode = open_episode(trajectory, is_blind=is_blind)
    context = describe_progress(episode, request.user, is_blind=is_blind)
    return render(request, "replay/_replay_live.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def compare(
    request: HttpRequest, left_id: int, right_id: int, number: int | None = None
) -> HttpResponse:
    """Show two episodes of a task, by default at the first step that differs."""
    # Of a list no database takes a number that it cannot hold.
    ids = [pk for pk in (left_id, right_id) if pk <= MAX_ID]
    rows = {row.pk: row for row in trajectories_in_full().filter(pk__in=ids)}
    if len(rows) < 2 or rows[left_id].task_id != rows[right_id].task_id:
        raise Http404(gettext("These are not two episodes of one task."))
    # Both heads show the episodes' outcomes.
    show_verdicts(request, left_id, right_id)
    comparison = Comparison(rows[left_id], rows[right_id])
    if number is not None and not 1 <= number <= len(comparison.pairs):
        raise Http404(
            gettext("There is no step %(number)s to compare.") % {"number": number}
        )
    if number and request.headers.get("HX-Request") == "true":
        return render(request, "replay/_pair.html", comparison.panel(number))
    number = number or comparison.first_difference or 1
    context = describe_comparison(comparison, number)
    return render(request, "replay/compare.html", context)


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def bundle(request: HttpRequest, trajectory_id: int) -> StreamingHttpResponse:
    """Send the episode as one archive, while it is being written."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    show_verdicts(request, trajectory_id)
    packed = Bundle(trajectory)
    return StreamingHttpResponse(
        packed.stream(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{packed.name}.zip"'},
    )


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def trace(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """Redirect to the trace viewer, with a trace that it may read for a while."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    gone = map_removed(trajectory_id).get(EvidenceKind.TRACE)
    if gone is not None:
        raise Http404(describe_removal(gone))
    if not trajectory.trace or not trace_viewer.is_offered():
        raise Http404(f"Episode {trajectory_id} has no trace.")
    return redirect(trace_viewer.viewer_address(trajectory.trace))


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def judge_episode(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """Add this person's verdict; htmx gets the verdicts back, others their step."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    form, problem = HumanVerdictForm(request.POST), ""
    was_blind = is_judging_first(request, trajectory_id)
    if form.is_valid():
        problem = _record(request, trajectory_id, form.cleaned_data)
    else:
        problem = gettext(
            "Choose success, failure or cannot tell, and keep the note short."
        )
    step = form.cleaned_data.get("step")
    if request.headers.get("HX-Request") == "true":
        if was_blind and not problem:
            # Reload the whole page: film, steps and head show more now.
            return HttpResponse(headers={"HX-Refresh": "true"})
        context = describe_verdicts(trajectory, request.user, is_blind=was_blind)
        kept = {"problem": problem, "note": request.POST.get("note", "")}
        context |= {"current": step} | (kept if problem else {})
        context["next_to_judge"] = find_next(request, trajectory)
        return render(request, "replay/_verdicts.html", context)
    if problem:
        messages.error(request, problem)
    here = [trajectory_id, step] if step else [trajectory_id]
    return redirect("replay_step" if step else "replay", *here)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def take_back_verdict(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """Take this person's verdict back, and show the verdicts without it."""
    trajectory = get_object_or_404(trajectories_in_full(), pk=trajectory_id)
    take_verdict_back(trajectory_id=trajectory_id, author=cast(User, request.user))
    step = request.POST.get("step", "")
    if request.headers.get("HX-Request") == "true":
        is_blind = is_judging_first(request, trajectory_id)
        context = describe_verdicts(trajectory, request.user, is_blind=is_blind)
        context |= {"current": step}
        context["next_to_judge"] = find_next(request, trajectory)
        return render(request, "replay/_verdicts.html", context)
    if number := read_id(step):
        return redirect("replay_step", trajectory_id, number)
    return redirect("replay", trajectory_id)


@require_POST
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def correct_error(request: HttpRequest, trajectory_id: int) -> HttpResponse:
    """Keep what this person calls a failed episode, and go back to it."""
    get_object_or_404(Trajectory, pk=trajectory_id)
    try:
        correct_error_type(
            trajectory_id=trajectory_id,
            error_type=request.POST.get("error_type", ""),
            by=cast(User, request.user),
        )
    except WorkbenchError as error:
        messages.error(request, error.message)
    return redirect("replay", trajectory_id)


def _record(request: HttpRequest, trajectory_id: int, data: dict[str, Any]) -> str:
    """Return why the verdict was refused, "" when it was not."""
    try:
        record_human_verdict(
            trajectory_id=trajectory_id,
            author=cast(User, request.user),
            verdict=data["verdict"],
            note=data["note"],
            is_blind=is_judging_first(request, trajectory_id),
        )
    except WorkbenchError as error:
        return error.message
    show_verdicts(request, trajectory_id)
    return ""
