"""Write the address of every page as JSON, from the rows that are there."""

from __future__ import annotations

import json
import logging

from django.core.management.base import BaseCommand, CommandParser

from webrl_site.examples.every_page import list_pages
from webrl_site.examples.every_state import write_states


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--states",
            action="store_true",
            help="first add rows in every state; never to a database that is in use",
        )

    def handle(self, *args: object, states: bool, **options: object) -> None:
        if states:
            write_states()
        # Some addresses do not accept GET, which distinguishes them from pages.
        logging.getLogger("django.request").setLevel(logging.ERROR)
        self.stdout.write(json.dumps(list_pages(), indent=2))
