"""Load the sandbox's sites, tasks and starter checkpoints; safe to repeat."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from curriculum.access.roles import ensure_roles
from curriculum.errors import WorkbenchError
from webrl_site.sites.sandbox import load_sandbox


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        ensure_roles()
        try:
            report = load_sandbox()
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(
            f"{report.sites} sites, {report.tasks.total} tasks "
            f"({report.tasks.created} new), {report.checkpoints} starter checkpoints."
        )
