"""Who may do what: annotators review, researchers run phases, admins do all."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from curriculum.access.signed_out import answer_signed_out
from curriculum.selectors.prepared import Prepared, number

ROLE_ANNOTATOR = "annotator"
ROLE_RESEARCHER = "researcher"
ROLES = (ROLE_ANNOTATOR, ROLE_RESEARCHER)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def ensure_roles() -> None:
    """Create the groups of the roles where they are missing."""
    for name in ROLES:
        Group.objects.get_or_create(name=name)


def has_role(user: AbstractBaseUser | AnonymousUser, role: str) -> bool:
    """Say whether the user has the role; a superuser has all of them."""
    if not user.is_authenticated or not user.is_active:
        return False
    if getattr(user, "is_superuser", False):
        return True
    return role in _group_names(user)


def has_any_role(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Say whether the user may see anything at all."""
    return any(has_role(user, role) for role in ROLES)


def role_required(*roles: str) -> Callable[[View[P]], View[P]]:
    """Guard a view: sign in first, then 403 without one of the roles."""

    def decorate(view: View[P]) -> View[P]:
        @functools.wraps(view)
        def guarded(
            request: HttpRequest, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return answer_signed_out(request)
            if not any(has_role(request.user, role) for role in roles):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return cast("View[P]", guarded)

    return decorate


GROUPS = Prepared(
    lambda: Group.objects.filter(user=number("user")).order_by().values_list("name")
)


def _group_names(user: AbstractBaseUser | AnonymousUser) -> frozenset[str]:
    """Return the user's groups; read from the database once per user object."""
    names: frozenset[str] | None = getattr(user, "_role_names", None)
    if names is None:
        names = frozenset(name for (name,) in GROUPS.ask(user=user.pk))
        user._role_names = names  # type: ignore[union-attr]
    return names
