"""Flags: a task that a researcher should look at, and why."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import NotAllowed, ReviewError
from curriculum.models import Flag
from curriculum.services.reviewing.review_lease import require_reviewer

MAX_NOTE_LENGTH = 4000


@transaction.atomic
def flag_task(*, task_id: int, by: User, note: str) -> Flag:
    """Flag a task; a second flag of the same person replaces the note.

    Raises:
        NotAllowed: Neither annotator nor researcher.
        ReviewError: The note is missing or too long.
    """
    require_reviewer(by)
    note = note.strip()
    if not note:
        raise ReviewError(
            gettext("Write in the note what a researcher should look at.")
        )
    if len(note) > MAX_NOTE_LENGTH:
        raise ReviewError(
            gettext("A note has at most %(longest_note)s characters.")
            % {"longest_note": MAX_NOTE_LENGTH}
        )
    flag, _ = Flag.objects.update_or_create(
        task_id=task_id, author_id=by.pk, settled_at=None, defaults={"note": note}
    )
    return flag


@transaction.atomic
def withdraw_flag(*, task_id: int, by: User) -> Flag:
    """Take one's own open flag back.

    Raises:
        ReviewError: There is no open flag; perhaps a researcher has settled it.
    """
    standing = Flag.objects.filter(task_id=task_id, author_id=by.pk, settled_at=None)
    flag = standing.select_for_update().first()
    if flag is None:
        raise ReviewError(gettext("You no longer have a flag on this task."))
    flag.settled_at, flag.settled_by = timezone.now(), by
    flag.save(update_fields=["settled_at", "settled_by"])
    return flag


@transaction.atomic
def settle_flag(*, flag_id: int, by: User) -> None:
    """Settle a flag: a researcher has looked at the task.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: It has been settled already.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only a researcher can settle flags."))
    standing = Flag.objects.filter(pk=flag_id, settled_at=None)
    if not standing.update(settled_at=timezone.now(), settled_by_id=by.pk):
        raise ReviewError(gettext("This flag has already been settled."))
