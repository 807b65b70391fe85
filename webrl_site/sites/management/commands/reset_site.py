"""Put a site outside the sandbox back to its first state, as SITE_RESETS says."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from rollouts import services
from rollouts.selectors.sites import count_running, find_reset_text


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the site's key, as `./webrl site list` says")

    def handle(self, *args: object, key: str, **options: object) -> None:
        try:
            site = services.request_reset(key=key)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Resetting {site.name} ...")
        if services.reset_site(site_id=site.pk, lease_s=settings.LEASE_S):
            self.stdout.write(f"{site.name} is as at first.")
            return
        running = count_running(site.key)
        if running:
            self.stdout.write(
                f"{running} running episodes use {site.name}; no other begins, and "
                "the worker of the sites resets it once they have ended."
            )
            return
        raise CommandError(f"{site.name} {find_reset_text(site.pk)}")
