"""People's verdicts on episodes, given and taken back: added, never changed."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from curriculum.access.roles import has_any_role
from curriculum.errors import NotAllowed, VerdictError
from rollouts.models import HumanVerdict, Trajectory
from rollouts.services.text import clean

MAX_NOTE_LENGTH = 2000


@transaction.atomic
def record_human_verdict(
    *,
    trajectory_id: int,
    author: User,
    verdict: str,
    note: str = "",
    is_blind: bool = False,
) -> HumanVerdict:
    """Add a verdict; the same one sent twice is one row.

    `is_blind`: the author has not seen the machines' and other people's verdicts.

    Raises:
        NotAllowed: The author is neither annotator nor researcher.
        VerdictError: The episode has not ended, or the verdict is not one of three.
    """
    if not has_any_role(author):
        raise NotAllowed(
            gettext("Only an annotator or a researcher can judge episodes.")
        )
    if verdict not in HumanVerdict.Verdict.values:
        raise VerdictError(gettext("Choose success, failure or cannot tell."))
    # Locks the row, so that two simultaneous clicks do not write two verdicts.
    rows = Trajectory.objects.select_for_update().filter(pk=trajectory_id)
    trajectory = rows.filter(status=Trajectory.Status.FINISHED).first()
    if trajectory is None:
        raise VerdictError(gettext("Only a finished episode can be judged."))
    note = clean(note).strip()[:MAX_NOTE_LENGTH]
    mine = HumanVerdict.objects.filter(trajectory=trajectory, author=author)
    last = mine.order_by("-pk").first()
    if last is not None and (last.verdict, last.note) == (verdict, note):
        return last
    return HumanVerdict.objects.create(
        trajectory=trajectory,
        author=author,
        verdict=verdict,
        note=note,
        # A person who changes a verdict has seen those of the others.
        is_blind=is_blind and last is None,
    )


@transaction.atomic
def take_verdict_back(*, trajectory_id: int, author: User) -> bool:
    """Take the author's verdict back; False when there is none.

    The history keeps both the verdict and that it was taken back.
    """
    # Locks the row, as a verdict does.
    Trajectory.objects.select_for_update().filter(pk=trajectory_id).first()
    mine = HumanVerdict.objects.filter(trajectory_id=trajectory_id, author=author)
    last = mine.order_by("-pk").first()
    if last is None or last.verdict == HumanVerdict.TAKEN_BACK:
        return False
    HumanVerdict.objects.create(
        trajectory_id=trajectory_id, author=author, verdict=HumanVerdict.TAKEN_BACK
    )
    return True
