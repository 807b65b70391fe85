"""Say where a site outside the sandbox is; its tasks are then used by runs."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from curriculum.services import set_site_address


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the site's key, as `./webrl site list` says")
        parser.add_argument("url", help='an http(s) address; "" takes it away')

    def handle(self, *args: object, key: str, url: str, **options: object) -> None:
        try:
            site = set_site_address(key=key, url=url)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        where = site.base_url or "nowhere"
        self.stdout.write(f"{site.name} is at {where}.")
