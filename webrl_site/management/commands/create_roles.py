"""Create the groups that stand for roles; without an account, say how to begin."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from curriculum.access.roles import ensure_roles

NO_ACCOUNT = (
    "Nobody can sign in yet. `./webrl manage createsuperuser` makes an administrator."
)


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        ensure_roles()
        if not get_user_model().objects.exists():
            self.stdout.write(NO_ACCOUNT)
