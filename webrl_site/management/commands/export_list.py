"""Write tasks, trajectories, steps or reviews to a file, as the API exports them."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webrl_site.exports.filters import read_words
from webrl_site.exports.formats import FORMATS, KINDS, list_formats

STANDARD_OUTPUT = Path("-")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("kind", choices=KINDS)
        add("file", type=Path, help="- for standard output")
        add("filters", nargs="*", metavar="NAME=VALUE", help="as in the list's address")
        add("--format", choices=FORMATS, help="the file's ending says it otherwise")

    def handle(
        self,
        *args: object,
        kind: str,
        file: Path,
        filters: list[str],
        format: str | None,
        **options: object,
    ) -> None:
        name = format or file.suffix.lstrip(".") or "jsonl"
        if name not in list_formats(kind):
            known = ", ".join(list_formats(kind))
            raise CommandError(f"{kind} come as {known}, not as {name}.")
        if file != STANDARD_OUTPUT and file.is_dir():
            raise CommandError(f"{file} is a folder: name a file.")
        chosen = read_words(kind, filters)
        try:
            with _open(file) as output:
                for part in FORMATS[name].write(kind, None, chosen):
                    output.write(part)
        except (OSError, ImportError) as error:
            raise CommandError(f"{file} cannot be written: {error}") from None
        self.stderr.write(f"Wrote {kind} to {file}.")


@contextlib.contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """Open the file under another name, and rename it when it is complete.

    After an error an earlier file is as it was. Two exports to the same file at a time
    do not write into one another's.
    """
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        return
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with partial.open("wb") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
