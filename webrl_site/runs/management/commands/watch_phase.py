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

    def handle(self, *args: Any, **options: Any) -> None:
        phase = find_phase(options["phase"])
        self.console = Console(highlight=False, file=cast(Any, self.stdout)._out)
        self._is_told = False
        try:
            phase = Follower(self.console).follow(phase, self._review)
        except KeyboardInterrupt:
            return
        if phase.status != Phase.Status.CLOSED:
            reason = phase.failure_reason or "by request"
            raise CommandError(f"{phase} is {phase.status}: {reason}")
        self.console.print(f"{phase} is closed.")

    def _review(self, phase: Phase) -> None:
        """Say once that people are waited for."""
        if not self._is_told:
            url = f"{settings.DASHBOARD_URL}/review/?phase={phase.pk}"
            self.console.print(f"Waiting for review: {url}", soft_wrap=True)
        self._is_told = True
