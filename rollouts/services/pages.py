"""Recorded pages and traces as files, named by their content."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from django.conf import settings

from rollouts import artifacts
from rollouts.artifact_store import open_artifacts, store_page
from rollouts.browser.types import EpisodeEnd, EpisodeRecord, Observation, StepRecord
from rollouts.services.text import clean

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPage:
    """Names of the files of one page; "" for what was not recorded."""

    snapshot: str = ""
    screenshot: str = ""
    trace: str = ""


KeptRecord: TypeAlias = tuple[EpisodeRecord, KeptPage]


def keep_pages(records: Sequence[EpisodeRecord]) -> list[KeptRecord]:
    """Store each record's page; returns the records with what was stored."""
    return [(record, _keep(record)) for record in records]


def _keep(record: EpisodeRecord) -> KeptPage:
    if isinstance(record, StepRecord):
        return keep_page(record.observation)
    trace = keep_trace(record.trace)
    if isinstance(record, EpisodeEnd):
        return dataclasses.replace(keep_page(record.final), trace=trace)
    return KeptPage(trace=trace)


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
    return open_artifacts().store_file(path, artifacts.TRACE_SUFFIX)


def keep_page(page: Observation) -> KeptPage:
    """Store one page's files; a second call changes nothing."""
    picture, suffix = page.screenshot, artifacts.JPEG_SUFFIX
    return KeptPage(
        snapshot=store_page(clean(page.snapshot)),
        screenshot=open_artifacts().store(picture, suffix) if picture else "",
    )
