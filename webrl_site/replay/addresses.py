"""Where a replay's parts are: on the dashboard, or in a bundle's own files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Protocol

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from rollouts.models import EvidenceKind, RemovedEvidence
from webrl_site.recorded.signed_addresses import sign_address


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedPage:
    """Addresses of one recorded page, "" for a file not recorded, or removed.

    `gone` has in words what was recorded and removed since.
    """

    html: str
    screenshot: str
    gone: str = ""


class Addresses(Protocol):
    """Gives the address of a recorded file, and of a step."""

    def page(self, digest: str) -> str: ...

    def screenshot(self, digest: str) -> str: ...

    def step(self, number: int) -> str: ...


@dataclasses.dataclass(frozen=True, slots=True)
class DashboardAddresses:
    """Addresses on the replay origin, one for each step."""

    trajectory_id: int

    def page(self, digest: str) -> str:
        return sign_address(f"{digest}.html")

    def screenshot(self, digest: str) -> str:
        return sign_address(f"{digest}.jpg")

    def step(self, number: int) -> str:
        return reverse("replay_step", args=[self.trajectory_id, number])


def recorded(
    addresses: Addresses,
    snapshot: str,
    screenshot: str,
    removed: Mapping[str, RemovedEvidence],
) -> RecordedPage:
    """Return the addresses of a page's two files, and what the retention removed."""
    page = removed.get(EvidenceKind.PAGE) if snapshot else None
    picture = removed.get(EvidenceKind.SCREENSHOT) if screenshot else None
    said = [describe_removal(row) for row in (page, picture) if row]
    return RecordedPage(
        html=addresses.page(snapshot) if snapshot and not page else "",
        screenshot=addresses.screenshot(screenshot)
        if screenshot and not picture
        else "",
        gone=" ".join(said),
    )


def describe_removal(row: RemovedEvidence) -> str:
    """Return when files were removed, and by which rule."""
    what = {
        EvidenceKind.TRACE: gettext("The trace"),
        EvidenceKind.SCREENSHOT: gettext("The screenshot"),
        EvidenceKind.PAGE: gettext("The recorded page"),
    }[EvidenceKind(row.kind)]
    day = timezone.localdate(row.removed_at).isoformat()
    values = {"what": what, "date": day}
    if row.days:
        text = gettext(
            "%(what)s was removed on %(date)s by the %(n)s-day retention rule."
        )
        return text % {**values, "n": row.days}
    text = gettext("%(what)s was removed on %(date)s to keep below %(n)s GiB.")
    return text % {**values, "n": row.gib}
