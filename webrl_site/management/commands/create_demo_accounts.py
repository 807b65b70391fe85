"""Create an annotator, a researcher and an admin to sign in with; safe to repeat.

Passwords are random unless given, stored hashed, and kept for the person at the
keyboard in DATA_DIR/accounts.txt, which nobody else can read.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, ensure_roles

ACCOUNTS = {
    "annotator": (ROLE_ANNOTATOR,),
    "researcher": (ROLE_RESEARCHER, ROLE_ANNOTATOR),
    "admin": (),
}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--password", help="the same for all three")
        parser.add_argument("--reset", action="store_true", help="new passwords")

    def handle(self, *args: Any, **options: Any) -> None:
        ensure_roles()
        made = {}
        with transaction.atomic():
            for name, roles in ACCOUNTS.items():
                password = options["password"] or secrets.token_urlsafe(12)
                if _create_account(name, roles, password, reset=options["reset"]):
                    made[name] = password
        if not made:
            self.stdout.write("The demo accounts are there already.")
            return
        path = Path(settings.DATA_DIR) / "accounts.txt"
        _write_private(path, "".join(f"{n} {p}\n" for n, p in made.items()))
        if self.stdout.isatty():  # never into somebody's log file
            for name, password in made.items():
                self.stdout.write(f"{name}: {password}")
        self.stdout.write(f"Kept in {path}")


def _create_account(
    name: str, roles: tuple[str, ...], password: str, *, reset: bool
) -> bool:
    """Create the user, or give an existing one a new password if asked to."""
    is_admin = not roles
    user, created = get_user_model().objects.get_or_create(
        username=name, defaults={"is_superuser": is_admin, "is_staff": is_admin}
    )
    if not created and not reset:
        return False
    user.set_password(password)
    user.save(update_fields=["password"])
    user.groups.set(Group.objects.filter(name__in=roles))
    return True


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
