"""Follow a phase until it is closed; fails when it was stopped or has failed."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from curriculum.models import Phase
from webrl_site.management.phases import HELP, find_phase
from webrl_site.runs.follow import Follower


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("phase", help=HELP)

    def handle(self, *args: object, phase: str, **options: object) -> None:
        row = find_phase(phase)
        self.console = Console(highlight=False, file=cast(Any, self.stdout)._out)
        self._is_told = False
        try:
            row = Follower(self.console).follow(row, self._review)
        except KeyboardInterrupt:
            return
        if row.status != Phase.Status.CLOSED:
            reason = row.failure_reason or "by request"
            raise CommandError(f"{row} is {row.status}: {reason}")
        self.console.print(f"{row} is closed.")

    def _review(self, phase: Phase) -> None:
        """Print once that the phase waits for people."""
        if not self._is_told:
            url = f"{settings.DASHBOARD_URL}/review/?phase={phase.pk}"
            self.console.print(f"Waiting for review: {url}", soft_wrap=True)
        self._is_told = True
