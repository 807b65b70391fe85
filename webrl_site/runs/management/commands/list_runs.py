"""List runs with their phases, the newest run first."""

from __future__ import annotations

import datetime as dt
from argparse import ArgumentTypeError
from collections import defaultdict

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from curriculum.models import Phase, Run
from rollouts.models import Trajectory
from rollouts.selectors.pages import MEASURING, count_by_purpose
from webrl_site.runs.measurements import Counts, measure

# More than a database can hold, and no more than it can count.
MAX_COUNT = 10**9
HEAD = f"  {'phase':<6}{'place':<8}{'status':<12}{'test tasks solved':<22}last moved"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--last", type=_read_count, metavar="N", help="only so many runs"
        )

    def handle(self, *args: object, last: int | None, **options: object) -> None:
        runs = list(Run.objects.order_by("-pk")[:last])
        phases: dict[int, list[Phase]] = defaultdict(list)
        for phase in Phase.objects.filter(run__in=runs).order_by("number"):
            phases[phase.run_id].append(phase)
        found = [phase for of_run in phases.values() for phase in of_run]
        counts = count_by_purpose([phase.pk for phase in found], MEASURING)
        if runs:
            self.stdout.write(HEAD)
        for run in runs:
            self.stdout.write(f"{run.name}, run {run.pk}, made {_say(run.created_at)}")
            for phase in phases[run.pk]:
                self.stdout.write(f"  {_describe(phase, counts)}")
            if not phases[run.pk]:
                self.stdout.write("  no phase yet")
        if runs:
            self.stdout.write("./webrl watch | stop | resume PHASE, or RUN/NUMBER")
        else:
            self.stdout.write("No runs yet: ./webrl launch --preset demo")


def _read_count(text: str) -> int:
    """Return a number of runs, at least 1.

    Raises:
        ArgumentTypeError: The text is none.
    """
    count = int(text) if text.isascii() and text.isdecimal() else 0
    if not 1 <= count <= MAX_COUNT:
        raise ArgumentTypeError(f"{text[:20]!r} is no number of runs, such as 10.")
    return count


def _describe(phase: Phase, counts: Counts) -> str:
    names = f"{phase.pk:<6}{f'{phase.run_id}/{phase.number}':<8}"
    success = f"{_say_success(phase, counts):<22}"
    moment = phase.ended_at or phase.stage_started_at
    last = _say(moment) if moment else ""
    return f"{names}{phase.status:<12}{success}{last}".rstrip()


def _say_success(phase: Phase, counts: Counts) -> str:
    """Return how many test tasks the phase's new policy solves, "-" before it ran.

    With several attempts at each task that is the mean over the attempts.
    """
    result = measure(phase, Trajectory.Purpose.EVALUATE, counts)
    if result is None or result.proportion.rate is None:
        return "-"
    rate, tasks = result.proportion.rate, result.counts.judged_tasks
    solved = f"{rate * tasks:.1f}".removesuffix(".0")
    return f"{solved} of {tasks}, {100 * rate:.1f} %"


def _say(moment: dt.datetime) -> str:
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M}"
