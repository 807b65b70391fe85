"""Signed addresses of recorded pages, valid for a day or two.

No cookie goes to the origin of recorded pages, so an address carries its own proof: a
signature over the file's name and its last day. It changes once a day, so that browsers
can cache the files. Programs send their API token instead.
"""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from django.utils import timezone

from curriculum.access.roles import has_any_role
from curriculum.access.scopes import READ
from webrl_site.account.tokens import find_token
from webrl_site.api.authentication import MAX_SECRET_LENGTH

SALT = "webrl.recorded"
PARAMETER = "key"
# Whole days in addition to the present one.
LASTS_DAYS = 1


def sign_address(name: str) -> str:
    """Return the address of a recorded file; `name` has its ending."""
    last = (timezone.now() + dt.timedelta(days=LASTS_DAYS)).strftime("%Y%m%d")
    signature = Signer(salt=SALT).signature(f"{name} {last}")
    key = f"{last}{signature}"
    return f"{settings.REPLAY_ORIGIN}/recorded/{name}?{PARAMETER}={key}"


def may_read(request: HttpRequest, name: str) -> bool:
    """Say whether the request's address or token permits reading the file."""
    return _is_signed(request.GET.get(PARAMETER, ""), name) or _has_token(request)


def _is_signed(key: str, name: str) -> bool:
    last, signature = key[:8], key[8:]
    try:
        Signer(salt=SALT).unsign(f"{name} {last}:{signature}")
    except BadSignature:
        return False
    return last >= timezone.now().strftime("%Y%m%d")


def _has_token(request: HttpRequest) -> bool:
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or len(secret) > MAX_SECRET_LENGTH:
        return False
    token = find_token(secret.strip())
    return token is not None and token.allows(READ) and has_any_role(token.user)
