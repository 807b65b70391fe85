"""Commands that steer one phase and then wake its worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from webrl_site.loop.wakeups import enqueue_advance
from webrl_site.management.phases import HELP, find_phase


class SteerPhase(BaseCommand):
    """Applies `steer` to the named phase; `said` is printed after its name."""

    steer: ClassVar[Callable[..., object]]
    said: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("phase", help=HELP)

    def handle(self, *args: object, phase: str, **options: object) -> None:
        row = find_phase(phase)
        try:
            type(self).steer(phase_id=row.pk, by=None)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        enqueue_advance(row.pk)
        self.stdout.write(f"{row} {self.said}")
