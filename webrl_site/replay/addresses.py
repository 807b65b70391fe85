"""Where a replay's parts are: on the dashboard, or in a bundle's own files."""

from __future__ import annotations

import dataclasses
from typing import Protocol

from django.conf import settings
from django.urls import reverse


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedPage:
    """Addresses of one recorded page, "" for what was not recorded."""

    html: str
    screenshot: str


class Addresses(Protocol):
    """Gives the address of a recorded file, and of a step."""

    def page(self, digest: str) -> str: ...

    def screenshot(self, digest: str) -> str: ...

    def step(self, number: int) -> str: ...


@dataclasses.dataclass(frozen=True, slots=True)
class DashboardAddresses:
    """Files on the replay origin, each step under an address of its own."""

    trajectory_id: int

    def page(self, digest: str) -> str:
        return f"{settings.REPLAY_ORIGIN}/recorded/{digest}.html"

    def screenshot(self, digest: str) -> str:
        return f"{settings.REPLAY_ORIGIN}/recorded/{digest}.jpg"

    def step(self, number: int) -> str:
        return reverse("replay_step", args=[self.trajectory_id, number])


def recorded(addresses: Addresses, snapshot: str, screenshot: str) -> RecordedPage:
    """Return where a page's two files are."""
    return RecordedPage(
        html=addresses.page(snapshot) if snapshot else "",
        screenshot=addresses.screenshot(screenshot) if screenshot else "",
    )
