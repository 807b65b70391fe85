"""A run's notes, tags and kept evidence, and the addresses of its weights."""

from __future__ import annotations

import re

from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Run

TAG = re.compile(r"[\w.-]{1,40}\Z")
MAX_TAGS = 8
MAX_NOTES_LENGTH = 20_000
# What names weights.
RUN_FIELDS = ("policy_uri", "critic_uri", "orm_uri")
PHASE_FIELDS = (*RUN_FIELDS, *(f"next_{name}" for name in RUN_FIELDS))


def annotate_run(
    *, run_id: int, notes: str, tags: str, keep_evidence: bool = False
) -> None:
    """Replace what is said of a run; blanks or commas separate its tags.

    Raises:
        WorkbenchError: A tag has other signs than letters, digits, ".", "-" and "_",
            or there is too much of something.
    """
    names = list(dict.fromkeys(tags.lower().replace(",", " ").split()))
    wrong = [name for name in names if not TAG.match(name)]
    if wrong:
        raise WorkbenchError(
            gettext(
                "The tag %(wrong)r may have letters, digits, '.', '-' and '_', 40 "
                "at most."
            )
            % {"wrong": wrong[0][:60]}
        )
    if len(names) > MAX_TAGS or len(notes) > MAX_NOTES_LENGTH:
        raise WorkbenchError(
            gettext(
                "At most %(most_tags)s tags and %(longest_notes)s characters of notes."
            )
            % {"most_tags": MAX_TAGS, "longest_notes": MAX_NOTES_LENGTH}
        )
    text = f" {' '.join(names)} " if names else ""
    Run.objects.filter(pk=run_id).update(
        notes=notes.strip(), tags=text, keep_evidence=keep_evidence
    )


@transaction.atomic
def rename_weights(*, old: str, new: str) -> None:
    """Let begun runs and their phases name the weights by their new address.

    A run without a phase has used nothing yet: it begins with what lies at the old one.
    """
    begun = Phase.objects.values("run_id")
    for name in RUN_FIELDS:
        rows = Run.objects.filter(**{name: old}, pk__in=begun)
        rows.update(**{name: new})
    for name in PHASE_FIELDS:
        Phase.objects.filter(**{name: old}).update(**{name: new})
