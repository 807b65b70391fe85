"""How much disk earlier phases took, measured on a sample of their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from curriculum.models import Phase
from rollouts.artifacts import HTML_SUFFIX, artifact_path
from rollouts.selectors.pages import sample_snapshots

SAMPLE = 20


def measure_episode(phase: Phase) -> float | None:
    """Return the bytes of recorded pages per episode; None without any.

    Pages that several episodes share count for each: the truth is rather less.
    """
    digests = sample_snapshots(phase.pk, SAMPLE)
    if not digests:
        return None
    sizes = [sum(map(_size_of, pages)) for pages in digests]
    return sum(sizes) / len(sizes)


def measure_weights(phase: Phase) -> int:
    """Return the bytes of the phase's training directory; 0 if it has none."""
    folder = Path(settings.CHECKPOINTS_DIR) / f"phase-{phase.pk}"
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files)


def forecast_disk(phases: Sequence[Phase], episodes: int) -> float | None:
    """Return the bytes that so many episodes and a training would take."""
    for phase in phases:
        each = measure_episode(phase)
        if each is not None:
            return each * episodes + measure_weights(phase)
    return None


def _size_of(digest: str) -> int:
    path = artifact_path(Path(settings.ARTIFACTS_DIR), digest, HTML_SUFFIX)
    return path.stat().st_size if path.is_file() else 0
