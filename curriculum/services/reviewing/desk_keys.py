"""The keys that a person chose for the review desk."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from curriculum.errors import ReviewError
from curriculum.models import DeskKeys
from curriculum.rules.desk_keys import ACTIONS, find_mistakes


@transaction.atomic
def save_keys(*, person: User, keys: Mapping[str, str]) -> None:
    """Store a key for each action.

    Raises:
        ReviewError: A key is missing, used twice, or reserved.
    """
    chosen = {action: keys.get(action, "").lower() for action in ACTIONS}
    for action, mistake in find_mistakes(chosen).items():
        raise ReviewError(f"{ACTIONS[action]}: {mistake}")
    DeskKeys.objects.update_or_create(person_id=person.pk, defaults={"keys": chosen})


def reset_keys(*, person: User) -> None:
    """Go back to the default keys."""
    DeskKeys.objects.filter(person_id=person.pk).delete()
