"""Say where one more instance of an external site is, or take one away."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.services import add_site_instance, remove_site_instance


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the site's key, as `./webrl site list` says")
        parser.add_argument("url", nargs="?", default="", help="an http(s) address")
        parser.add_argument("--remove", type=int, default=0, help="take this one away")

    def handle(
        self, *args: object, key: str, url: str, remove: int, **options: object
    ) -> None:
        if remove:
            if not remove_site_instance(key=key, number=remove):
                raise CommandError(f"{key} has no further instance {remove}.")
            self.stdout.write(f"{key}#{remove} gets no more episodes.")
            return
        try:
            made = add_site_instance(key=key, url=url)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{key}#{made.number} is at {made.base_url}.")
