"""What an import of episodes leaves when it fails, is killed or is not alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from curriculum.errors import WorkbenchError
from curriculum.models import Run, Site, Task
from curriculum.services.imported.lock import FOLDER, hold_run_name
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode, FileTask
from rollouts.models import Trajectory
from rollouts.services.imported.episodes import BATCH, import_episodes
from tests.factories import PhaseFactory, RunFactory, TaskFactory, TrajectoryFactory

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


@contextmanager
def another_import(name: str) -> Iterator[None]:
    """Another import's hold on a name: it has a connection of its own."""
    begun, over = threading.Event(), threading.Event()

    def hold() -> None:
        with hold_run_name(name):
            begun.set()
            over.wait(30)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(30)
    try:
        yield
    finally:
        over.set()
        thread.join()


def import_one(name: str = "theirs", run: str = "") -> Run:
    import_episodes(episodes=[make_episode(run=run)], source="vab", name=name)
    return Run.objects.get(name=f"{name} {run}".strip())


def test_of_two_imports_under_one_name_the_second_is_refused():
    run = RunFactory(name="theirs", tags=" importing ", policy_uri="imported")
    row = TrajectoryFactory(phase=PhaseFactory(run=run, status="closed"))

    with (
        another_import("theirs"),
        pytest.raises(WorkbenchError, match="Wait until it has ended"),
    ):
        import_one()

    assert list(Run.objects.filter(name="theirs")) == [run]
    assert list(Trajectory.objects.all()) == [row]


def test_a_refused_import_keeps_nothing_of_its_other_runs():
    episodes = [make_episode(run="first"), *[make_episode(run="second")] * BATCH]

    with (
        another_import("second"),
        pytest.raises(WorkbenchError, match="'second'"),
    ):
        import_episodes(episodes=episodes, source="dataset")

    assert not Run.objects.exists()


def test_imports_under_two_names_do_not_wait_for_each_other():
    with another_import("ours"):
        run = import_one("theirs")

    assert run.tags == " imported "


def test_a_name_is_free_again_when_its_import_has_ended():
    with another_import("theirs"):
        pass

    assert import_one("theirs").tags == " imported "
    assert list((Path(settings.DATA_DIR) / FOLDER).glob("*")) == []


def test_runs_whose_names_differ_in_blanks_are_one():
    episodes = [make_episode(run=run) for run in ("theirs", " theirs ")]

    import_episodes(episodes=episodes, source="dataset")

    assert Run.objects.count() == 1
    assert Trajectory.objects.count() == 2
