"""Import tasks from a JSON, JSON lines or CSV file: all of them, or none."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import TaskImportError
from curriculum.task_files.reading import MAX_BYTES
from webrl_site.task_pages.task_files import import_file


def read_file(path: Path) -> bytes:
    """The bytes of a file that is not absurdly large; CommandError otherwise."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CommandError(f"{path} is larger than {MAX_BYTES} bytes.")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a JSON list, JSON lines, or CSV")

    def handle(self, *args: object, file: Path, **options: object) -> None:
        try:
            report = import_file(read_file(file), file.name)
        except TaskImportError as error:
            raise CommandError("\n".join(error.messages())) from None
        done = report.imported
        assert done is not None  # noqa: S101 (import_file always imports)
        if done.suite:
            self.stdout.write(f"This is {done.suite}.")
        self.stdout.write(f"{done.created} tasks imported, {done.kept} kept.")
        if done.repeated:
            self.stdout.write(f"{done.repeated} entries only repeat another.")
        if done.leaks:
            self.stdout.write(f"{done.leaks} training tasks resemble a test task.")
            self.stdout.write("They are kept, and no run trains on them.")
        for kind, count, meaning in report.kinds():
            self.stdout.write(f"{count} {kind}: {meaning}")
        if report.unreachable:
            names = ", ".join(report.unreachable)
            self.stdout.write(f"Sites without an address yet: {names}.")
            self.stdout.write("Say where one is: ./webrl site address KEY URL")
