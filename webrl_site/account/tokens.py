"""Tokens of the API: made, found, revoked. The only writer of `ApiToken`."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.access.scopes import list_scopes
from curriculum.errors import WorkbenchError
from webrl_site.models import ApiToken

# Lets scanners recognise a secret that got into source code.
MARK = "wrl_"
PREFIX_LENGTH = 12
MAX_DAYS = 366
USE_EVERY = dt.timedelta(minutes=1)


class TokenError(WorkbenchError):
    """A token that cannot be made like this."""


def list_tokens(user: User) -> QuerySet[ApiToken]:
    """Newest first, without those that were revoked."""
    return ApiToken.objects.filter(user=user, revoked_at=None)


def list_everybodys_tokens() -> QuerySet[ApiToken]:
    """For administrators: by owner, also of those who may not sign in any more."""
    rows = ApiToken.objects.filter(revoked_at=None).select_related("user")
    return rows.order_by("user__username", "-pk")


def make_token(
    *, user: User, name: str, scopes: Collection[str], days: int
) -> tuple[ApiToken, str]:
    """Make a token; the second value is its secret, which nobody can read again.

    Raises:
        TokenError: The name is missing or in use, a scope is not the user's to
            give, or the time is not within a year.
    """
    name = " ".join(name.split())
    if not name or len(name) > 60:
        raise TokenError(gettext("A token needs a name of 1 to 60 characters."))
    if not 1 <= days <= MAX_DAYS:
        raise TokenError(
            gettext("A token is valid for 1 to %(longest_days)s days.")
            % {"longest_days": MAX_DAYS}
        )
    mine = list_scopes(user)
    foreign = sorted(set(scopes) - set(mine))
    if foreign or not scopes:
        known = ", ".join(mine) or gettext("none: this account has no role")
        raise TokenError(
            gettext("Choose scopes that this account has: %(known)s.")
            % {"known": known}
        )
    secret = MARK + secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(
                user_id=user.pk,
                name=name,
                prefix=secret[:PREFIX_LENGTH],
                digest=digest_secret(secret),
                scopes=[scope for scope in mine if scope in scopes],
                expires_at=timezone.now() + dt.timedelta(days=days),
            )
    except IntegrityError:
        raise TokenError(
            gettext("A token called %(name)r already exists.") % {"name": name}
        ) from None
    return token, secret


def digest_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def find_token(secret: str) -> ApiToken | None:
    """Return the valid token with this secret, of a person who may still sign in."""
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest_secret(secret), user__is_active=True)
        .first()
    )
    return token if token and token.is_valid_at(timezone.now()) else None


def note_use(token: ApiToken) -> None:
    """Write down that the token was used, at most once a minute."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at < USE_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_EVERY)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def revoke_token(*, token_id: int, user: User) -> bool:
    """End one of the user's tokens, or anybody's if the user is an administrator.

    False when there is none, or it ended already.
    """
    rows = ApiToken.objects.filter(pk=token_id, revoked_at=None)
    if not user.is_superuser:
        rows = rows.filter(user_id=user.pk)
    return bool(rows.update(revoked_at=timezone.now()))
