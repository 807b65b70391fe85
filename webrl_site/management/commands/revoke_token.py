"""Revoke the standing tokens that begin as given: "wrl_" and eight characters."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webrl_site.account.tokens import PREFIX_LENGTH, revoke_token
from webrl_site.models import ApiToken


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("prefix", help="how the token begins, as its page shows it")

    def handle(self, *args: object, prefix: str, **options: object) -> None:
        # A whole secret from a leak works as well.
        begins = prefix[:PREFIX_LENGTH]
        found = ApiToken.objects.filter(prefix=begins, revoked_at=None)
        tokens = list(found.select_related("user"))
        if not tokens:
            raise CommandError(f"There is no standing token that begins {begins!r}.")
        for token in tokens:
            revoke_token(token_id=token.pk, user=token.user)
            self.stdout.write(f"Revoked {token} of {token.user}.")
