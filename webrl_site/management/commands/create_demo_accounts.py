"""Create an annotator, a researcher and an admin, while nobody can sign in yet.

Accounts that somebody deleted are not made again, and on a public address none is.

Passwords are random unless given, stored hashed, and kept for the person at the
keyboard in DATA_DIR/accounts.txt, which nobody else can read.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
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
        parser.add_argument(
            "--reset",
            action="store_true",
            help="new passwords for those of them that exist",
        )

    def handle(
        self, *args: object, password: str | None, reset: bool, **options: object
    ) -> None:
        if not settings.IS_LOCAL:
            self.stdout.write("Demo accounts are for this machine's own address only.")
            return
        with transaction.atomic():
            change = _reset_password if reset else _create_account
            made = {}
            for name in _list_names(reset=reset):
                made[name] = password or secrets.token_urlsafe(12)
                change(name, made[name])
        if not made:
            self.stdout.write("There are accounts already; none was made.")
            return
        path = Path(settings.DATA_DIR) / "accounts.txt"
        _write_private(path, "".join(f"{n} {p}\n" for n, p in made.items()))
        if self.stdout.isatty():  # never into a log file
            for name, chosen in made.items():
                self.stdout.write(f"{name}: {chosen}")
        self.stdout.write(f"Kept in {path}")


def _list_names(*, reset: bool) -> list[str]:
    """Return whose passwords are to be written: all, the existing ones, or nobody's."""
    users = get_user_model().objects
    if reset:
        there = users.filter(username__in=ACCOUNTS)
        return sorted(there.values_list("username", flat=True))
    can_sign_in = users.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    return [] if can_sign_in.exists() else list(ACCOUNTS)


def _create_account(name: str, password: str) -> None:
    ensure_roles()
    roles = ACCOUNTS[name]
    is_admin = not roles
    user = get_user_model().objects.create_user(
        name, password=password, is_superuser=is_admin, is_staff=is_admin
    )
    user.groups.set(Group.objects.filter(name__in=roles))


def _reset_password(name: str, password: str) -> None:
    user = get_user_model().objects.get(username=name)
    user.set_password(password)
    user.save(update_fields=["password"])


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
