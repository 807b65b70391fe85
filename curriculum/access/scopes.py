"""What a token of the API may be limited to, and which role may give it."""

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
    """What a token says of itself; a session has none and is not limited."""

    def allows(self, scope: str) -> bool:
        """Say whether the token was given this scope."""
        ...


def list_scopes(user: AbstractBaseUser | AnonymousUser) -> list[str]:
    """Return what the user's roles allow, and so a token of theirs at most."""
    return [
        scope
        for scope, roles in ROLES_OF_SCOPES.items()
        if any(has_role(user, role) for role in roles)
    ]
