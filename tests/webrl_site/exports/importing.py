"""Imports of small made-up episodes, whole and broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode, FileTask
from rollouts.services.imported.episodes import BATCH, import_episodes


def make_episode(number: int = 0, site: str = "", run: str = "") -> FileEpisode:
    task = FileTask(key=f"theirs.{number}", instruction=f"Find {number}", site=site)
    return FileEpisode(task=task, steps=(), run=run)


def breaking_off(
    site: str, meanwhile: Callable[[], object] = lambda: None, run: str = ""
) -> Iterator[FileEpisode]:
    """A batch that is written, what others do then, and a file that is broken."""
    yield from (make_episode(number, site, run) for number in range(2, BATCH + 2))
    meanwhile()
    raise EpisodeFileError("The next file is broken.")


def fail(episodes: Iterator[FileEpisode]) -> None:
    with pytest.raises(WorkbenchError, match="is broken"):
        import_episodes(episodes=episodes, source="vab", name="theirs")


def import_one(name: str = "theirs", run: str = "") -> Run:
    import_episodes(episodes=[make_episode(run=run)], source="vab", name=name)
    return Run.objects.get(name=f"{name} {run}".strip())
