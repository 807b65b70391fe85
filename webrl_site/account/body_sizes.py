"""The limit of a request's body, by sender."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError, close_old_connections
from django.http import HttpRequest
from django.utils.module_loading import import_string

from webrl_site.account.tokens import find_token
from webrl_site.api.authentication import MAX_SECRET_LENGTH
from webrl_site.server.body_limits import MAX_ANONYMOUS_BYTES, MAX_BYTES


def find_limit(request: HttpRequest) -> int:
    """Return how many bytes the sender may send; reads the session or the token."""
    close_old_connections()
    try:
        return MAX_BYTES if _is_known(request) else MAX_ANONYMOUS_BYTES
    except DatabaseError:
        # An unknown sender counts as a stranger; the view reports what is wrong.
        return MAX_ANONYMOUS_BYTES


def _is_known(request: HttpRequest) -> bool:
    kind, _, secret = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if kind.lower() == "bearer":
        return (
            len(secret) <= MAX_SECRET_LENGTH and find_token(secret.strip()) is not None
        )
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return False
    engine = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
    request.session = engine(key)
    return get_user(request).is_authenticated
