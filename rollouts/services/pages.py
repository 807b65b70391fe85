"""Recorded pages as files: compressed HTML and pictures, named by their content."""

from __future__ import annotations

import dataclasses
import gzip
from collections.abc import Sequence

from rollouts.browser.types import EpisodeEnd, EpisodeRecord, Observation, StepRecord

SNAPSHOT_SUFFIX = ".html.gz"
SCREENSHOT_SUFFIX = ".jpg"


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPage:
    """Names of the files of one page; "" for what was not recorded."""

    snapshot: str = ""
    screenshot: str = ""


def keep_pages(records: Sequence[EpisodeRecord]) -> dict[int, KeptPage]:
    """Store each record's page, keyed by the record's `id()`."""
    kept = {}
    for record in records:
        if isinstance(record, StepRecord):
            kept[id(record)] = _keep(record.observation)
        elif isinstance(record, EpisodeEnd):
            kept[id(record)] = _keep(record.final)
    return kept


def _keep(page: Observation) -> KeptPage:
    snapshot = screenshot = ""
    if not page.snapshot and not page.screenshot:
        return KeptPage()
    from rollouts import artifacts

    if page.snapshot:
        html = page.snapshot.encode("utf-8", "replace")
        # No time stamp: the same page is the same file.
        snapshot = artifacts.store(gzip.compress(html, 5, mtime=0), SNAPSHOT_SUFFIX)
    if page.screenshot:
        screenshot = artifacts.store(page.screenshot, SCREENSHOT_SUFFIX)
    return KeptPage(snapshot, screenshot)
