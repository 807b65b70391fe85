"""A run's notes, tags and kept evidence, and the addresses of its weights."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.models import Phase, Run

TAG = re.compile(r"[\w.-]{1,40}\Z")
MAX_TAGS = 8
MAX_NOTES_LENGTH = 20_000
# The fields that name weights.
RUN_FIELDS = ("policy_uri", "critic_uri", "orm_uri")
PHASE_FIELDS = (*RUN_FIELDS, *(f"next_{name}" for name in RUN_FIELDS))


@dataclasses.dataclass(frozen=True, slots=True)
class RunNotes:
    """A run's notes and settings; blanks or commas separate its tags."""

    notes: str = ""
    tags: str = ""
    keep_evidence: bool = False

    @classmethod
    def of(cls, run: Run) -> RunNotes:
        """Return the stored values."""
        return cls(run.notes, run.tags, run.keep_evidence).tidied()

    def tidied(self) -> RunNotes:
        """Return the values normalised, without what a form adds."""
        tags = dict.fromkeys(self.tags.lower().replace(",", " ").split())
        notes = self.notes.replace("\r\n", "\n").strip()
        return RunNotes(notes, " ".join(tags), self.keep_evidence)

    def list_changes(self, before: RunNotes) -> dict[str, Any]:
        """Return the fields that differ from `before`."""
        one, other = (dataclasses.asdict(notes.tidied()) for notes in (self, before))
        return {name: one[name] for name in one if one[name] != other[name]}

    def list_conflicts(self, before: RunNotes, stored: RunNotes) -> dict[str, Any]:
        """Return the fields that were changed here and by another person meanwhile."""
        mine, theirs = self.list_changes(before), stored.list_changes(before)
        return {
            name: theirs[name]
            for name in theirs
            if name in mine and mine[name] != theirs[name]
        }


@transaction.atomic
def annotate_run(*, run_id: int, said: RunNotes, before: RunNotes) -> None:
    """Store only the fields that were changed in a form that showed `before`.

    Raises:
        LeaseLost: Another person has changed the same field meanwhile.
        WorkbenchError: A tag has characters other than letters, digits, ".", "-" and
            "_", or a value is too long.
    """
    changes = said.list_changes(before)
    _check(said.tidied())
    run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    if said.list_conflicts(before, RunNotes.of(run)):
        raise LeaseLost(
            gettext("Someone else has since changed this. Compare, then save.")
        )
    if changes.get("tags"):
        changes["tags"] = f" {changes['tags']} "
    if changes:
        Run.objects.filter(pk=run_id).update(**changes)


def _check(said: RunNotes) -> None:
    """Refuse values that cannot be stored."""
    names = said.tags.split()
    wrong = [name for name in names if not TAG.match(name)]
    if wrong:
        raise WorkbenchError(
            gettext(
                "The tag %(wrong)r may contain only letters, digits, '.', "
                "'-' and '_', at most 40."
            )
            % {"wrong": wrong[0][:60]}
        )
    if len(names) > MAX_TAGS or len(said.notes) > MAX_NOTES_LENGTH:
        raise WorkbenchError(
            gettext(
                "At most %(most_tags)s tags and %(longest_notes)s characters of notes."
            )
            % {"most_tags": MAX_TAGS, "longest_notes": MAX_NOTES_LENGTH}
        )


@transaction.atomic
def rename_weights(*, old: str, new: str) -> None:
    """Give runs that have begun, and their phases, the new address of their weights.

    A run without a phase has used no weights yet: it keeps the old address.
    """
    begun = Phase.objects.values("run_id")
    for name in RUN_FIELDS:
        rows = Run.objects.filter(**{name: old}, pk__in=begun)
        rows.update(**{name: new})
    for name in PHASE_FIELDS:
        Phase.objects.filter(**{name: old}).update(**{name: new})
