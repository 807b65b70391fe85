"""Make a token of the API for a person, and print it: the only time it is shown."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curriculum.access.scopes import SCOPES
from curriculum.errors import WorkbenchError
from webrl_site.account.tokens import make_token


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("user", help="whose token it is")
        add("--name", required=True, help="what it is for")
        add("--scopes", default="read", help=f"some of {','.join(SCOPES)}")
        add("--days", type=int, default=90, help="how long it is valid")

    def handle(
        self,
        *args: object,
        user: str,
        name: str,
        scopes: str,
        days: int,
        **options: object,
    ) -> None:
        person = User.objects.filter(username=user).first()
        if person is None:
            raise CommandError(f"There is no user {user!r}.")
        allowed = [scope for scope in scopes.split(",") if scope]
        try:
            token, secret = make_token(
                user=person, name=name, scopes=allowed, days=days
            )
        except WorkbenchError as error:
            raise CommandError(error.message) from None
        self.stderr.write(f"{token.name}: {', '.join(token.scopes)}; keep it safe.")
        self.stdout.write(secret)
