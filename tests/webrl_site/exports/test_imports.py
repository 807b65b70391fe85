"""What an import of episodes leaves when it fails, is killed or is not alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from curriculum.errors import WorkbenchError
from curriculum.models import Site, Task
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode, FileTask
from rollouts.services.imported.episodes import BATCH, import_episodes
from tests.factories import RunFactory, TaskFactory

pytestmark = pytest.mark.django_db


def make_episode(number: int = 0, site: str = "", run: str = "") -> FileEpisode:
    task = FileTask(key=f"theirs.{number}", instruction=f"Find {number}", site=site)
    return FileEpisode(task=task, steps=(), run=run)


def breaking_off(
    site: str, meanwhile: Callable[[], object] = lambda: None
) -> Iterator[FileEpisode]:
    """A batch that is written, what others do then, and a file that is broken."""
    yield from (make_episode(number, site) for number in range(BATCH))
    meanwhile()
    raise EpisodeFileError("The next file is broken.")


def fail(episodes: Iterator[FileEpisode]) -> None:
    with pytest.raises(WorkbenchError, match="is broken"):
        import_episodes(episodes=episodes, source="vab", name="theirs")


@pytest.mark.parametrize("key", ["", "intranet", "reddit"])
def test_a_failed_import_leaves_no_site_that_it_made(key: str):
    fail(breaking_off(key))

    assert (Task.objects.count(), Site.objects.count()) == (0, 0)


def test_a_failed_import_leaves_a_site_that_was_there():
    Site.objects.create(key="intranet", kind="external", placeholder="__INTRANET__")

    fail(breaking_off("intranet"))

    assert Site.objects.get().key == "intranet"


def give_address() -> None:
    Site.objects.update(base_url="http://intranet.lab/")


def add_task() -> None:
    TaskFactory(site=Site.objects.get(key="intranet"))


def name_among_others() -> None:
    TaskFactory(spec={"sites": ["shop", "intranet"]})


def name_in_settings() -> None:
    RunFactory(config={"curriculum": {"sites": ["intranet"]}})


@pytest.mark.parametrize(
    "use", [give_address, add_task, name_among_others, name_in_settings]
)
def test_a_failed_import_leaves_a_site_that_others_use_by_now(
    use: Callable[[], object],
):
    fail(breaking_off("intranet", meanwhile=use))

    assert Site.objects.filter(key="intranet").exists()
    assert not Task.objects.filter(key__startswith="imported.").exists()
