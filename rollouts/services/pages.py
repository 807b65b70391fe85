"""Recorded pages and traces as files, named by their content."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from rollouts import artifacts
from rollouts.browser.types import EpisodeEnd, EpisodeRecord, Observation, StepRecord
from rollouts.services.text import clean

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPage:
    """Names of the files of one page; "" for what was not recorded."""

    snapshot: str = ""
    screenshot: str = ""
    trace: str = ""


def keep_pages(records: Sequence[EpisodeRecord]) -> dict[int, KeptPage]:
    """Store each record's page, keyed by the record's `id()`."""
    kept = {}
    for record in records:
        if isinstance(record, StepRecord):
            kept[id(record)] = keep_page(record.observation)
        elif isinstance(record, EpisodeEnd):
            page, trace = keep_page(record.final), keep_trace(record.trace)
            kept[id(record)] = dataclasses.replace(page, trace=trace)
        else:
            kept[id(record)] = KeptPage(trace=keep_trace(record.trace))
    return kept


def drop_traces(records: Sequence[EpisodeRecord]) -> None:
    """Delete the files that traces were written to, once their rows are safe."""
    for record in records:
        if not isinstance(record, StepRecord) and record.trace:
            Path(record.trace).unlink(missing_ok=True)


def keep_trace(name: str) -> str:
    """Store a trace's file; "" for none, and for one that is too large."""
    path = Path(name)
    if not name or not path.is_file():
        return ""
    most = settings.TRACE_MIB * 2**20
    if path.stat().st_size > most:
        logger.warning("A trace of more than %s MiB was dropped", settings.TRACE_MIB)
        return ""
    return artifacts.store_file(
        Path(settings.ARTIFACTS_DIR), path, artifacts.TRACE_SUFFIX
    )


def keep_page(page: Observation) -> KeptPage:
    """Store one page's files; twice is once."""
    directory = Path(settings.ARTIFACTS_DIR)
    picture = page.screenshot
    return KeptPage(
        snapshot=artifacts.store_html(directory, clean(page.snapshot)),
        screenshot=artifacts.store(directory, picture, ".jpg") if picture else "",
    )
