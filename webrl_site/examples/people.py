"""The people who made the example's decisions."""

from __future__ import annotations

from django.contrib.auth.models import Group, User

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, ensure_roles

NAMES = ("example-ada", "example-bo", "example-cleo", "example-dan")


def make_people() -> list[User]:
    """Return annotators; the first is a researcher, too. Nobody can sign in as them."""
    ensure_roles()
    annotators = Group.objects.get(name=ROLE_ANNOTATOR)
    people = [User.objects.get_or_create(username=name)[0] for name in NAMES]
    for person in people:
        person.set_unusable_password()
        person.save(update_fields=["password"])
        person.groups.add(annotators)
    people[0].groups.add(Group.objects.get(name=ROLE_RESEARCHER))
    return people
