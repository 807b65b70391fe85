"""Episodes that a person wants to judge before the machines' verdicts are shown.

They are listed in the session. Their replays show no verdict until the person has
judged, or requests the others' verdicts. Verdicts that were shown are not hidden again.
Whether the person has seen them on other pages is unknown.
"""

from __future__ import annotations

from django.http import HttpRequest

from rollouts.models import Trajectory
from rollouts.selectors.judges import list_to_audit
from rollouts.selectors.verdicts import has_judged

HIDDEN, SHOWN = "verdicts_hidden", "verdicts_shown"
# The oldest are forgotten.
MOST = 200


def is_judging_first(request: HttpRequest, trajectory_id: int) -> bool:
    """Say whether the episode's verdicts are still hidden from this person."""
    return trajectory_id in request.session.get(HIDDEN, [])


def find_next(request: HttpRequest, trajectory: Trajectory) -> int | None:
    """Return the next episode of the audit list, for a person who works through it."""
    known = [*request.session.get(HIDDEN, []), *request.session.get(SHOWN, [])]
    if trajectory.pk not in known:
        return None
    rows = list_to_audit(trajectory.phase.run_id, request.user, limit=2)
    return next((row.pk for row in rows if row.pk != trajectory.pk), None)


def follow_wish(request: HttpRequest, trajectory: Trajectory) -> None:
    """Hide or show the verdicts, if the address has the parameter for it.

    A person who has judged an episode has seen the other verdicts on it.
    """
    wish, pk = request.GET.get("judge"), trajectory.pk
    if wish == "after":
        show_verdicts(request, pk)
    elif wish == "first" and trajectory.status == Trajectory.Status.FINISHED:
        was_shown = pk in request.session.get(SHOWN, [])
        if not was_shown and not has_judged(pk, request.user):
            _add(request, HIDDEN, pk)


def show_verdicts(request: HttpRequest, *trajectory_ids: int) -> None:
    """Remember that the person sees the verdicts from here on."""
    hidden = request.session.get(HIDDEN, [])
    for pk in set(trajectory_ids) & set(hidden):
        _add(request, SHOWN, pk)
    if not set(hidden).isdisjoint(trajectory_ids):
        left = [pk for pk in hidden if pk not in trajectory_ids]
        request.session[HIDDEN] = left


def _add(request: HttpRequest, key: str, trajectory_id: int) -> None:
    known = [pk for pk in request.session.get(key, []) if pk != trajectory_id]
    request.session[key] = [*known, trajectory_id][-MOST:]
