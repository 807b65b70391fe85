"""The scopes of an API token, and which role may grant each."""

from __future__ import annotations

from typing import Protocol

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils.translation import gettext_lazy

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role

READ, REVIEW, RUN, IMPORT = "read", "review", "run", "import"
SCOPES = {
    READ: gettext_lazy("Read and export what the person may see"),
    REVIEW: gettext_lazy("Reserve and decide tasks that wait for review"),
    RUN: gettext_lazy(
        "Launch runs; open, stop and resume phases; finish their reviews"
    ),
    IMPORT: gettext_lazy("Import tasks"),
}
ROLES_OF_SCOPES = {
    READ: (ROLE_ANNOTATOR, ROLE_RESEARCHER),
    REVIEW: (ROLE_ANNOTATOR, ROLE_RESEARCHER),
    RUN: (ROLE_RESEARCHER,),
    IMPORT: (ROLE_RESEARCHER,),
}


class Grant(Protocol):
    """The authentication object of a token; a session has none and is not limited."""

    def allows(self, scope: str) -> bool:
        """Say whether the token was given this scope."""
        ...


def list_scopes(user: AbstractBaseUser | AnonymousUser) -> list[str]:
    """Return the scopes that the user's roles allow: the most that their tokens get."""
    return [
        scope
        for scope, roles in ROLES_OF_SCOPES.items()
        if any(has_role(user, role) for role in roles)
    ]
