"""How much disk earlier phases took, measured on a sample of their files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from curriculum.models import Phase
from rollouts.artifact_store import open_artifacts
from rollouts.models import EvidenceKind
from rollouts.selectors.evidence import SUFFIXES, map_files
from rollouts.selectors.evidence_counts import sample_newest
from rollouts.selectors.pages import count_by_purpose, sample_snapshots
from training.services.directory import name_directory

SAMPLE = 20


@dataclasses.dataclass(frozen=True, slots=True)
class DiskForecast:
    """What so many episodes and a training would take.

    Attributes:
        bytes: The upper limit, as far as it is known.
        uncounted: Kinds of files that the run would keep but no earlier episode has.
    """

    bytes: float
    uncounted: tuple[str, ...] = ()


def forecast_disk(
    phases: Sequence[Phase], episodes: int, rollout: Mapping[str, Any]
) -> DiskForecast | None:
    """Forecast from earlier phases, newest first; None if there are no data.

    `rollout` is that section of the run's settings.
    """
    for phase in phases:
        each = measure_episode(phase)
        if each is not None:
            pages = each * episodes + measure_weights(phase)
            return _add_evidence(pages, phase, episodes, rollout)
    return None


def _add_evidence(
    pages: float, phase: Phase, episodes: int, rollout: Mapping[str, Any]
) -> DiskForecast:
    shares = {
        EvidenceKind.SCREENSHOT: float(rollout.get("screenshot_share", 0)),
        EvidenceKind.TRACE: _share_of_traces(phase, str(rollout.get("traces", "off"))),
    }
    total, uncounted = pages, []
    for kind, share in shares.items():
        each = measure_files(sample_newest(kind, SAMPLE), kind) if share else 0.0
        total += each * share * episodes
        if share and not each:
            uncounted.append(str(kind.label))
    return DiskForecast(total, tuple(uncounted))


def _share_of_traces(phase: Phase, traces: str) -> float:
    """Return the share of episodes that keep a trace: all, or only the failures."""
    if traces != "failures":
        return float(traces == "all")
    counts = count_by_purpose([phase.pk]).values()
    judged = sum(row.judged for row in counts)
    solved = sum(row.successes for row in counts)
    return 1 - solved / judged if judged else 1.0


def measure_episode(phase: Phase) -> float | None:
    """Return the bytes of recorded pages per episode; None without any.

    Pages that several episodes share count for each, so the true value is lower.
    """
    digests = sample_snapshots(phase.pk, SAMPLE)
    if not digests:
        return None
    sizes = [_size_of(pages, EvidenceKind.PAGE) for pages in digests]
    return sum(sizes) / len(sizes)


def measure_weights(phase: Phase) -> int:
    """Return the bytes of the phase's training directory; 0 if it has none.

    A running training removes files meanwhile: those are not counted.
    """
    # Unlike `Path.rglob`, it passes over folders that are gone.
    places = os.walk(name_directory(phase))
    return sum(
        _measure_file(Path(place, name)) for place, _, names in places for name in names
    )


def _measure_file(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def measure_files(trajectory_ids: Sequence[int], kind: str) -> float:
    """Return the mean bytes of an episode's files of a kind, including shared ones."""
    if not trajectory_ids:
        return 0.0
    names = map_files(trajectory_ids, kind).values()
    return sum(_size_of(some, kind) for some in names) / len(trajectory_ids)


def _size_of(digests: Collection[str], kind: str) -> int:
    return open_artifacts().measure(digests, SUFFIXES[kind])
