"""The queries of a person's takeover page."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from django.db.models import QuerySet

from curriculum.selectors.database_clock import database_now
from rollouts.models import Step, Takeover, Trajectory

Status = Trajectory.Status
# Inputs that are clicked and not typed into.
PRESSED = re.compile(r'type="(?:checkbox|radio|submit|button|reset|image|file)"')
FIELDS = {"input": "Type", "textarea": "Type", "select": "Select Dropdown Option"}
ROLES = {"textbox": "Type", "searchbox": "Type", "combobox": "Select Dropdown Option"}


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """One element that can be used.

    Attributes:
        id: The integer that actions name.
        text: Its name for a person.
        box: x, y, width, height in CSS pixels of the viewport.
        action: The usual action on such an element.
    """

    id: int
    tag: str
    text: str
    box: tuple[float, float, float, float]
    action: str


def takeovers_in_full() -> QuerySet[Takeover]:
    return Takeover.objects.select_related(
        "author", "forked_from", "trajectory__task__site", "trajectory__phase__run"
    )


def find_open(author_id: int) -> Takeover | None:
    """Return the takeover that the person is in the middle of."""
    return Takeover.objects.filter(author_id=author_id, closed_at=None).first()


def read_state(takeover: Takeover) -> str:
    """Return its state: waiting, rebuilding, acting, ready, or over."""
    status = takeover.trajectory.status
    if status in (Status.FINISHED, Status.FAILED):
        return "over"
    if status == Status.QUEUED:
        return "waiting"
    if not takeover.page:
        return "rebuilding"
    return "acting" if takeover.wanted or takeover.is_leaving else "ready"


def list_marks(page: dict[str, Any]) -> list[Mark]:
    """Return the elements of the page that the browser shows now."""
    text = page.get("text", "")
    return [
        Mark(
            one["id"],
            one["tag"],
            one["text"],
            tuple(one["box"]),
            _fitting(one["tag"], _line(text, one["id"])),
        )
        for one in page.get("elements", [])
    ]


def _line(text: str, element: int) -> str:
    """Return the element's opening tag, or its line of an accessibility tree."""
    found = re.search(rf'<[a-z0-9-]+ id="{element}"[^>]*>|\[{element}\] [a-z]+', text)
    return found[0] if found else ""


def _fitting(tag: str, line: str) -> str:
    if line.startswith("["):
        return ROLES.get(line.rpartition(" ")[2], "Click")
    if tag == "input" and PRESSED.search(line):
        return "Click"
    return FIELDS.get(tag, "Click")


def seconds_left(takeover: Takeover) -> int:
    """How long the browser still waits for an action."""
    return max(round((takeover.deadline - database_now()).total_seconds()), 0)


def list_own_steps(takeover: Takeover) -> list[Step]:
    """Return the person's steps so far, with the pages' texts."""
    row = takeover.trajectory
    steps = Step.objects.filter(
        trajectory=row, attempt=row.attempt, index__gte=takeover.forked_at
    )
    return list(steps.only("index", "action", "error", "observation").order_by("index"))


def count_rebuilt(takeover: Takeover) -> int:
    return Step.objects.filter(trajectory_id=takeover.trajectory_id).count()
