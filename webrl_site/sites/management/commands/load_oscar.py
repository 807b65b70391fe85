"""Register the book shop and its tasks, once `./webrl site add oscar` has built it."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from curriculum.errors import WorkbenchError
from webrl_site.sites.oscar import load_oscar


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        try:
            report = load_oscar()
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"django-oscar: {report.total} tasks ({report.created} new).")
