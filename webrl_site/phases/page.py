"""What the phase page and its live part show, gathered with the apps' selectors."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.models import Phase, PhaseEvent, Task
from curriculum.selectors import pages as curriculum_pages
from curriculum.selectors.history import list_moves
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.selectors import pages as rollout_pages
from rollouts.selectors.loop import count_ended_since
from rollouts.selectors.sites import describe_waits
from training.selectors import pages as training_pages
from training.selectors.checkpoints import map_checkpoint_ids
from training.selectors.orm_trainings import Judge, map_judges
from webrl_site.launch.stage_times import measure_stages
from webrl_site.loop.stuck import find_stuck
from webrl_site.phases.progress import Lately, PhaseFacts, list_stages
from webrl_site.phases.served import describe_served
from webrl_site.runs.measurements import Counts, Measurement, find_start, measure

# The period of "episodes a minute".
LATELY_MINUTES = 5
Purpose = Trajectory.Purpose


def find_phase(phase_id: int) -> Phase:
    phase = Phase.objects.select_related("run", "created_by").filter(pk=phase_id)
    found = phase.first()
    if found is None:
        raise Http404(
            gettext("There is no phase %(phase_id)s.") % {"phase_id": phase_id}
        )
    return found


def describe_phase(phase: Phase) -> dict[str, Any]:
    """Return the live part's variables: ten queries for a phase of any size."""
    counts = rollout_pages.count_by_purpose([phase.pk])
    by_purpose = {purpose: row for (_, purpose), row in counts.items()}
    events = curriculum_pages.list_events(phase.pk)
    training = training_pages.find_training_run(phase.pk)
    evolved = curriculum_pages.count_evolved(phase.pk)
    now = timezone.now()
    facts = PhaseFacts(
        phase=phase,
        lately=_count_lately(phase, now),
        by_purpose=by_purpose,
        evolved=evolved,
        training=training,
        progress=_newest_progress(events),
        now=now,
        seconds=measure_stages(list_moves([phase.pk]).get(phase.pk, [])),
    )
    return {
        "phase": phase,
        "stages": list_stages(facts),
        "events": without_old_progress(events),
        "last_event_id": events[0].pk if events else 0,
        "training": training,
        "evolved": evolved,
        "results": _results(phase, counts),
        "stuck_since": find_stuck([phase], now).get(phase.pk),
        "waits": describe_waits(phase),
        "judges": _find_judges(phase),
        "weights": _list_weights(phase),
        "served": describe_served(phase),
        "waiting_reviews": evolved.get("shortlisted", 0),
        "undecided": sum(evolved.get(status, 0) for status in Task.UNDECIDED),
        "running_episodes": sum(row.running for row in by_purpose.values()),
    }


def _list_weights(phase: Phase) -> dict[str, list[tuple[str, int | None]]]:
    """Return addresses by their role in the phase, each with its page's id."""
    named = {
        "policy": [phase.policy_uri],
        "critic": [phase.critic_uri],
        "makes": [uri for uri in (phase.next_policy_uri, phase.next_critic_uri) if uri],
    }
    pages = map_checkpoint_ids([uri for uris in named.values() for uri in uris])
    return {
        name: [(uri, pages.get(uri)) for uri in uris] for name, uris in named.items()
    }


def _find_judges(phase: Phase) -> dict[str, Judge | None]:
    """Return the reward models that score this phase and the next one."""
    found = map_judges([phase.orm_uri, phase.next_orm_uri])
    return {"now": found.get(phase.orm_uri), "next": found.get(phase.next_orm_uri)}


def _count_lately(phase: Phase, now: dt.datetime) -> Lately | None:
    """Count the episodes that ended in the last minutes of a rollout stage."""
    purpose = STAGE_PURPOSES.get(phase.status)
    if purpose is None or phase.stage_started_at is None:
        return None
    since = max(phase.stage_started_at, now - dt.timedelta(minutes=LATELY_MINUTES))
    return Lately(
        count_ended_since(phase.pk, purpose, since), (now - since).total_seconds()
    )


def without_old_progress(events: list[PhaseEvent]) -> list[PhaseEvent]:
    """Return the events, of each stage's progress and each number only the newest."""
    shown: list[PhaseEvent] = []
    told: set[str] = set()
    for event in events:
        if event.kind == "status":
            told.clear()
        if event.kind in curriculum_pages.FREQUENT:
            subject = str(event.data.get("stage") or event.data.get("name"))
            if subject in told:
                continue
            told.add(subject)
        shown.append(event)
    return shown


def _newest_progress(events: list[PhaseEvent]) -> dict[str, Any]:
    return next((event.data for event in events if event.kind == "progress"), {})


def _results(phase: Phase, counts: Counts) -> list[tuple[str, Measurement]]:
    """Success by purpose, by the evaluators; the start may be an earlier phase's."""
    found = [
        (gettext("Before (test tasks)"), find_start(phase, counts)),
        (gettext("Training episodes"), measure(phase, Purpose.COLLECT, counts)),
        (gettext("After (test tasks)"), measure(phase, Purpose.EVALUATE, counts)),
    ]
    return [(title, result) for title, result in found if result is not None]
