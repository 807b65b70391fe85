"""What the home page shows, gathered with the apps' selectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from curriculum.models import Phase, Run
from curriculum.selectors import pages as curriculum_pages
from curriculum.selectors.reviewing.desk import count_flagged
from curriculum.services.imported.runs import NO_WEIGHTS
from curriculum.texts.saying import say
from rollouts.selectors import pages as rollout_pages
from rollouts.selectors.pages import OutcomeRow, PurposeCounts
from webrl_site.loop.stuck import find_stuck
from webrl_site.statistics import Proportion, wilson


@dataclasses.dataclass(frozen=True, slots=True)
class NextAction:
    """The one thing to do now."""

    title: str
    text: str
    label: str
    url_name: str
    url_id: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """Success on the test tasks at one moment of a run."""

    label: str
    phase_id: int
    purpose: str
    proportion: Proportion
    counts: PurposeCounts | None = None


def describe_home(*, reader_id: int, is_researcher: bool) -> dict[str, Any]:
    """Return the page's variables with a constant number of queries."""
    open_phases = curriculum_pages.list_open_phases()
    # An imported run has no weights: no phase of it can be launched.
    latest = curriculum_pages.list_runs().exclude(policy_uri=NO_WEIGHTS).first()
    measured = rollout_pages.find_measured_run()
    rows = rollout_pages.count_outcomes([measured.pk]) if measured else []
    counts = rollout_pages.count_by_purpose([phase.pk for phase in open_phases])
    waiting = curriculum_pages.count_waiting_for(reader_id)
    disputed = curriculum_pages.count_disputes() if is_researcher else 0
    stuck = find_stuck(open_phases)
    return {
        "disputed": disputed,
        "flagged": count_flagged() if is_researcher else 0,
        "stuck": stuck,
        "open_phases": open_phases,
        "episode_counts": {
            phase.pk: [row for (pk, _), row in counts.items() if pk == phase.pk]
            for phase in open_phases
        },
        "latest": latest,
        "measured": measured,
        "points": success_points(rows, counts),
        "waiting": waiting,
        "action": choose_action(open_phases, latest, waiting, is_researcher, stuck),
        "last_event_id": curriculum_pages.find_last_event_id(),
    }


def success_points(
    rows: list[OutcomeRow], counts: Mapping[tuple[int, str], PurposeCounts]
) -> list[Point]:
    """One point for the start and one a phase, all sites together.

    `counts` has the episodes still to come by phase and purpose, at least for the
    open phases.
    """
    sums: dict[tuple[int, int, str], list[int]] = {}
    for row in rows:
        moment = (row.phase_number, row.phase_id, row.purpose)
        total = sums.setdefault(moment, [0, 0, 0])
        for place, count in enumerate((row.successes, row.n, row.tasks)):
            total[place] += count
    return [
        Point(
            label=pgettext("moment", "Start")
            if purpose == "baseline"
            else gettext("Phase %(number)s") % {"number": number},
            phase_id=phase_id,
            purpose=purpose,
            proportion=wilson(successes, n, tasks=tasks),
            counts=counts.get((phase_id, purpose)),
        )
        for (number, phase_id, purpose), (successes, n, tasks) in sorted(sums.items())
    ]


def choose_action(
    open_phases: list[Phase],
    latest: Run | None,
    waiting: int,
    is_researcher: bool,
    stuck: Collection[int] = (),
) -> NextAction | None:
    """Pick the one next action; None if there is nothing to do but watch."""
    for phase in open_phases if is_researcher else ():
        if phase.pk in stuck:
            return NextAction(
                gettext("%(phase)s is stuck") % {"phase": phase},
                gettext("%(status)s, without progress. See its page for details.")
                % {"status": phase.get_status_display()},
                gettext("View"),
                "phase",
                phase.pk,
            )
    if waiting:
        title = ngettext(
            "%(count)s evolved task waits for review",
            "%(count)s evolved tasks wait for review",
            waiting,
        )
        return NextAction(
            title % {"count": waiting},
            gettext(
                "Accept, edit or reject each one; what you accept is attempted next."
            ),
            gettext("Open the review desk"),
            "review",
        )
    if not is_researcher:
        return None
    for phase in open_phases:
        if phase.status in (Phase.Status.FAILED, Phase.Status.STOPPED):
            return NextAction(
                (
                    gettext("%(phase)s failed")
                    if phase.status == Phase.Status.FAILED
                    else gettext("%(phase)s is stopped")
                )
                % {"phase": phase},
                say(phase.failure_reason) or gettext("It resumes where it stopped."),
                gettext("Inspect and resume"),
                "phase",
                phase.pk,
            )
    if latest is None:
        return NextAction(
            gettext("Start the first run"),
            gettext("Choose a preset; the starter models and sandbox sites are ready."),
            gettext("New run"),
            "run_new",
        )
    if any(phase.is_moving for phase in open_phases):
        return None
    if latest.phases.exists():
        title = gettext("%(latest)s is ready for its next phase")
        text = gettext(
            "Its last phase is closed. Launch the next one from the run's page."
        )
    else:
        title = gettext("%(latest)s is ready for its first phase")
        text = gettext("Launch it from the run's page.")
    return NextAction(
        title % {"latest": latest}, text, gettext("Open the run"), "run", latest.pk
    )
