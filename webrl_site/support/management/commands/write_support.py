"""Write a file for support: versions, settings, health, counts, logs; no secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webrl_site.support.bundle import SupportError, write_bundle


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            names = write_bundle(options["file"].absolute())
        except SupportError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Wrote {', '.join(names)} without secrets.")
