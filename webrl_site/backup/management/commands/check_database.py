"""Look whether the database's file is whole; a few seconds at most."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from webrl_site.backup.integrity import database_file, find_damage

LIMIT_S = 10.0


class Command(BaseCommand):
    help = __doc__
    # They would read the database before it is checked.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        path = database_file(settings.DATABASES["default"])
        if path is None:
            self.stdout.write("There is no file to look at.")
            return
        try:
            damage = find_damage(path, options["limit"])
        except TimeoutError:
            self.stdout.write(
                f"{path} is large: no damage found in {options['limit']:g} s. "
                "`./webrl manage check_database --limit 3600` looks at all of it."
            )
            return
        if damage:
            raise CommandError(
                f"{path} is damaged: {damage}. Nothing was started. Keep the folder as "
                "it is, and restore the newest backup into an empty one: "
                "WEBRL_DATA_DIR=/new/folder ./webrl restore FILE."
            )
        self.stdout.write(f"{path} is whole.")
