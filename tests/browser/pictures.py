"""The pictures of the docs: which page each shows, and how it is taken."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from playwright.sync_api import Page

WIDTH, HEIGHT = 1200, 760


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """A page of the example, as somebody sees it, whole once `wait_for` is there."""

    path: str
    who: str = "researcher"
    wait_for: str = "main h1"

    def take(self, page: Page, base: str, file: Path) -> None:
        """Write the page's first screen as PNG."""
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.goto(base + self.path)
        page.locator(self.wait_for).first.wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=file, animations="disabled")


# By the name of their file in docs/images.
PICTURES = {
    "home": Picture("/"),
    "desk": Picture("/review/", who="annotator"),
    "launch": Picture("/runs/new/"),
    "phase": Picture("/phases/3/"),
    "replay": Picture("/trajectories/1/", wait_for=".film"),
    "charts": Picture("/charts/", wait_for=".chart .main-svg"),
    "queue": Picture("/runs/queue/"),
}
