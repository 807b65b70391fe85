"""Resume a stopped or failed phase where it stopped."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.services import resume_phase
from webrl_site.management.commands.watch_phase import find_phase
from webrl_site.tasks import advance_phase


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("phase", type=int, help="its number in its address")

    def handle(self, *args: Any, **options: Any) -> None:
        phase = find_phase(options["phase"])
        try:
            resume_phase(phase_id=phase.pk, by=None)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        advance_phase.delay(phase.pk)
        self.stdout.write(f"{phase} goes on.")
