"""Put a site outside the sandbox back to its first state, as SITE_RESETS says."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.errors import WorkbenchError
from rollouts import services
from rollouts.selectors.instances.conditions import count_holders
from rollouts.selectors.sites import find_reset_text, name_instance


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the site's key, as `./webrl site list` says")
        parser.add_argument("--number", type=int, default=1, help="of the instance")

    def handle(self, *args: object, key: str, number: int, **options: object) -> None:
        try:
            site = services.request_reset(key=key, number=number)
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        name = name_instance(site.name, number)
        self.stdout.write(f"Resetting {name} ...")
        if services.reset_site(
            site_id=site.pk, number=number, lease_s=settings.LEASE_S
        ):
            self.stdout.write(f"{name} is in its first state.")
            return
        running = count_holders((site.key, number))
        if running:
            self.stdout.write(
                f"{running} running episodes use {name}; no other begins, and "
                "the worker of the sites resets it once they have ended."
            )
            return
        raise CommandError(f"{name} {find_reset_text(site.pk, number)}")
