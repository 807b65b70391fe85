"""Find the tasks of a file that cannot be scored, and say why; nothing is written.

Fails for what the import would refuse: an unknown site, a field that is wrong.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import TaskImportError
from webrl_site.sites.management.commands.import_tasks import read_file
from webrl_site.task_pages.task_files import check_file


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a JSON list, JSON lines, or CSV")
        parser.add_argument(
            "--json",
            dest="to_file",
            type=Path,
            metavar="FILE",
            help="write the findings, one a line",
        )

    def handle(
        self, *args: object, file: Path, to_file: Path | None, **options: object
    ) -> None:
        try:
            report = check_file(read_file(file), file.name)
        except TaskImportError as error:
            raise CommandError("\n".join(error.messages())) from None
        if to_file:
            lines = (json.dumps(dataclasses.asdict(one)) for one in report.findings)
            text = "".join(f"{line}\n" for line in lines)
            to_file.write_text(text, encoding="utf-8")
        for one in report.findings:
            if one.kind != "unchecked":
                name = f" ({one.key})" if one.key else ""
                told = f"{one.place}{name}: {one.kind}: {one.field}: {one.message}"
                self.stdout.write(told)
        self.stdout.write(f"{report.tasks} tasks")
        for kind, count, meaning in report.kinds():
            self.stdout.write(f"{count} {kind}: {meaning}")
