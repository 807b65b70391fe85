"""Open a site that was closed because it kept failing."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from rollouts.selectors.sites import name_instance
from rollouts.services import open_site


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the site's key, as `./webrl site list` says")
        parser.add_argument("--number", type=int, default=1, help="of the instance")

    def handle(self, *args: object, key: str, number: int, **options: object) -> None:
        try:
            site = open_site(key=key, number=number)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{name_instance(site.name, number)} is open.")
