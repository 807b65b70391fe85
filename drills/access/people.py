"""Rows to request, and a person of every role."""

from __future__ import annotations

import dataclasses
import functools
import secrets

from django.contrib.auth.models import Group, User

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, ensure_roles
from webrl_site.examples.every_state import write_states
from webrl_site.examples.scale import Scale
from webrl_site.examples.writing import write_example
from webrl_site.home.welcome import end_tour

# The fewest rows with which every address leads to something.
TINY = Scale(
    runs=1, phases=2, collected=12, evaluated=6, steps=3, evolved=160, metric_steps=3
)
# The roles, from the fewest to the most rights.
ROLES = ("nobody", "stranger", "annotator", "researcher", "admin")


@dataclasses.dataclass(frozen=True, slots=True)
class People:
    """One person of each role, by role; the role `nobody` has None."""

    by_role: dict[str, User | None]

    def __getitem__(self, role: str) -> User:
        person = self.by_role[role]
        if person is None:
            raise KeyError(role)
        return person


@functools.cache
def ensure_people() -> People:
    """Write the example once for this group of drills, with a person of each role."""
    ensure_roles()
    found: dict[str, User | None] = {
        "nobody": None,
        "stranger": _make("stranger"),
        "annotator": _make("annotator", ROLE_ANNOTATOR),
        "researcher": _make("researcher", ROLE_RESEARCHER),
        "admin": User.objects.create_superuser("admin", password=_password()),
    }
    write_example(TINY)
    write_states()
    return People(found)


def _make(name: str, *roles: str) -> User:
    person = User.objects.create_user(name, password=_password())
    person.groups.set(Group.objects.filter(name__in=roles))
    end_tour(person)
    return person


def _password() -> str:
    return secrets.token_urlsafe(20)
