"""Import tasks from a file in WebArena's JSON format: all of them, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.services import import_tasks, read_task_file

MOST_BYTES = 64 * 2**20


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a JSON list, or JSON lines")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            if path.stat().st_size > MOST_BYTES:
                raise CommandError(f"{path} is larger than {MOST_BYTES} bytes.")
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read: {error}") from None
        try:
            report = import_tasks(tasks=read_task_file(text))
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{report.created} tasks imported, {report.kept} kept.")
