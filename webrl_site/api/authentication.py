"""`Authorization: Bearer wrl_...`: tokens, and a limit to wrong ones."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from webrl_site.account.tokens import find_token, note_use
from webrl_site.models import ApiToken
from webrl_site.server.guess_limits import GuessLimit, name_address

# Wrong tokens from one address a minute. Right ones are never held up.
WRONG_A_MINUTE = 20
WRONG_TOKENS = GuessLimit("tokens", WRONG_A_MINUTE)
MAX_SECRET_LENGTH = 200


class BearerAuthentication(BaseAuthentication):
    """Reads the header's token; a request without one may come with a session."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        secret = words[1].decode("latin-1") if len(words) == 2 else ""
        token = find_token(secret) if 0 < len(secret) <= MAX_SECRET_LENGTH else None
        if token is None:
            _count_wrong(name_address(request.META.get("REMOTE_ADDR")))
            raise AuthenticationFailed("The token is wrong, expired or revoked.")
        note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="WebRL Workbench"'


def _count_wrong(address: str) -> None:
    """Ask an address that keeps sending wrong tokens to wait.

    This keeps a misconfigured program from filling the log, while the secrets'
    length is what keeps guessers out.
    """
    if wait_s := WRONG_TOKENS.take(address):
        raise Throttled(wait=wait_s)
