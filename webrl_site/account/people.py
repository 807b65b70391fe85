"""Who may sign in, in which role: people are invited by a link, never by a password."""

from __future__ import annotations

import dataclasses
import datetime as dt

from django.conf import settings
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, ROLES
from curriculum.errors import WorkbenchError

# A researcher may do all that an annotator may.
GROUPS_OF = {
    ROLE_ANNOTATOR: [ROLE_ANNOTATOR],
    ROLE_RESEARCHER: [ROLE_ANNOTATOR, ROLE_RESEARCHER],
}


class PeopleError(WorkbenchError):
    """An account that cannot be made or changed like this."""


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """One account; `role` is "administrator", a role's name, or "" for none.

    `is_invited` says that the person has not chosen a password yet.
    """

    pk: int
    name: str
    role: str
    is_active: bool
    is_invited: bool
    last_seen: dt.datetime | None


def list_people() -> list[Person]:
    """Return all accounts in two queries: those that may sign in first, by name."""
    users = User.objects.prefetch_related("groups")
    return [
        Person(
            pk=user.pk,
            name=user.get_username(),
            role=_name_role(user),
            is_active=user.is_active,
            is_invited=user.password.startswith(UNUSABLE_PASSWORD_PREFIX),
            last_seen=user.last_login,
        )
        for user in users.order_by("-is_active", "username")
    ]


def _name_role(user: User) -> str:
    if user.is_superuser:
        return "administrator"
    names = {group.name for group in user.groups.all()}
    return next((role for role in reversed(ROLES) if role in names), "")


@transaction.atomic
def invite(*, name: str, role: str, by: User) -> User:
    """Make an account without a password; its owner chooses one by the link.

    Raises:
        PeopleError: The name is in use, in any spelling.
    """
    # Full-width letters and ligatures are stored as plain letters.
    name = User.normalize_username(name)
    # Not by the database: SQLite knows the case of A to Z alone.
    taken = User.objects.values_list("username", flat=True)
    if name.casefold() in {other.casefold() for other in taken}:
        raise PeopleError(
            gettext("There is an account %(name)s already.") % {"name": name}
        )
    person = User.objects.create_user(name)
    person.groups.set(Group.objects.filter(name__in=GROUPS_OF[role]))
    _log(by, person, ADDITION, f"Invited as {role}.")
    return person


@transaction.atomic
def renew_link(person: User, *, by: User) -> str:
    """Return a new link for a forgotten password; who made it for whom is logged.

    Raises:
        PeopleError: The person is an administrator.
    """
    _refuse_administrators(person)
    _log(by, person, CHANGE, "New link to choose a password.")
    return make_link(person)


def make_link(person: User) -> str:
    """Return the address at which the person chooses a password, once.

    It is valid for `PASSWORD_RESET_TIMEOUT` seconds, and until the password changes or
    the person signs in.
    """
    path = reverse(
        "choose_password",
        kwargs={
            "uidb64": urlsafe_base64_encode(force_bytes(person.pk)),
            "token": default_token_generator.make_token(person),
        },
    )
    return f"{settings.DASHBOARD_URL}{path}"


@transaction.atomic
def set_role(person: User, role: str, *, by: User) -> None:
    """Give the person exactly this role; "" takes it. Other groups stay.

    Raises:
        PeopleError: The person is an administrator.
    """
    _refuse_administrators(person)
    person.groups.remove(*Group.objects.filter(name__in=ROLES))
    person.groups.add(*Group.objects.filter(name__in=GROUPS_OF.get(role, [])))
    _log(by, person, CHANGE, f"Role: {role or 'none'}.")


@transaction.atomic
def set_active(person: User, *, is_active: bool, by: User) -> None:
    """Let the person sign in, or end their sessions and tokens; their work stays.

    Raises:
        PeopleError: The person is an administrator.
    """
    _refuse_administrators(person)
    User.objects.filter(pk=person.pk).update(is_active=is_active)
    _log(by, person, CHANGE, "Activated." if is_active else "Deactivated.")


def _refuse_administrators(person: User) -> None:
    if person.is_superuser:
        raise PeopleError(gettext("Administrators are changed under Admin."))


def _log(by: User, person: User, flag: int, what: str) -> None:
    LogEntry.objects.log_actions(
        by.pk, User.objects.filter(pk=person.pk), flag, what, single_object=True
    )
