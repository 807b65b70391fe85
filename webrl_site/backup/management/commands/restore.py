"""Restore a backup into a deployment that holds nothing yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from webrl_site.backup.archive import BackupError
from webrl_site.backup.restoring import restore


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = restore(options["file"].absolute())
        except BackupError as error:
            raise CommandError(error.message) from None
        size = filesizeformat(done.bytes).replace("\xa0", " ")
        self.stdout.write(
            f"Restored {done.rows:,} rows and {done.files:,} files ({size})."
        )
