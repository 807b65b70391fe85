"""Fill an empty database with made-up runs, to look around or to measure pages."""

from __future__ import annotations

import sys
import time

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webrl_site.examples.scale import SCALES
from webrl_site.examples.writing import ExampleError, write_example


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--scale", choices=SCALES, default="small")
        parser.add_argument("--seed", type=int, default=7)

    def handle(self, *args: object, scale: str, seed: int, **options: object) -> None:
        size = SCALES[scale]
        began = time.monotonic()
        try:
            write_example(size, seed=seed, told=self._tell)
        except ExampleError as error:
            raise CommandError(error.message) from None
        seconds = time.monotonic() - began
        self.stdout.write(f"{size.episodes:,} episodes written in {seconds:.0f} s.")

    def _tell(self, done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            self.stderr.write(f"\r{done} of {total} phases", ending=end)
