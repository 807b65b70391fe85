"""List runs with their phases, the newest run first."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from curriculum.models import Phase, Run


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--last", type=int, metavar="N", help="only so many runs")

    def handle(self, *args: Any, **options: Any) -> None:
        runs = list(Run.objects.order_by("-pk")[: options["last"]])
        phases: dict[int, list[Phase]] = defaultdict(list)
        for phase in Phase.objects.filter(run__in=runs).order_by("number"):
            phases[phase.run_id].append(phase)
        for run in runs:
            self.stdout.write(f"{run.name}, run {run.pk}, made {_say(run.created_at)}")
            for phase in phases[run.pk]:
                self.stdout.write(f"  {_describe(phase)}")
            if not phases[run.pk]:
                self.stdout.write("  no phase yet")
        if runs:
            self.stdout.write("./webrl watch | stop | resume PHASE, or RUN/NUMBER")
        else:
            self.stdout.write("No run yet: ./webrl launch --preset demo")


def _describe(phase: Phase) -> str:
    names = f"{phase.pk:<6}{f'{phase.run_id}/{phase.number}':<8}"
    moment = phase.ended_at or phase.stage_started_at
    return f"{names}{phase.status:<12}{_say(moment) if moment else ''}".rstrip()


def _say(moment: dt.datetime) -> str:
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M}"
