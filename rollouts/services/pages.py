"""Recorded pages as files: compressed HTML and pictures, named by their content."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from rollouts import artifacts
from rollouts.browser.types import EpisodeEnd, EpisodeRecord, Observation, StepRecord
from rollouts.services.text import clean


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
            kept[id(record)] = keep_page(record.observation)
        elif isinstance(record, EpisodeEnd):
            kept[id(record)] = keep_page(record.final)
    return kept


def keep_page(page: Observation) -> KeptPage:
    """Store one page's files; twice is once."""
    directory = Path(settings.ARTIFACTS_DIR)
    picture = page.screenshot
    return KeptPage(
        snapshot=artifacts.store_html(directory, clean(page.snapshot)),
        screenshot=artifacts.store(directory, picture, ".jpg") if picture else "",
    )
