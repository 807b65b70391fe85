"""What an import of episodes leaves when it fails, is killed or is not alone."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Count

from curriculum.errors import WorkbenchError
from curriculum.models import Run, Site, Task
from curriculum.services.imported.lock import FOLDER, hold_run_name
from rollouts.interchange.episodes import FileEpisode
from rollouts.models import Trajectory
from rollouts.services.imported.episodes import BATCH, import_episodes
from rollouts.services.imported.progress import ImportReport
from tests.factories import PhaseFactory, RunFactory, TaskFactory, TrajectoryFactory
from tests.webrl_site.exports.importing import (
    breaking_off,
    fail,
    import_one,
    make_episode,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["", "intranet", "reddit"])
def test_a_failed_import_leaves_no_site_that_it_made(key: str):
    fail(breaking_off(key))

    assert (Task.objects.count(), Site.objects.count()) == (0, 0)


def test_a_failed_import_leaves_a_site_that_was_there():
    Site.objects.create(key="intranet", kind="external", placeholder="__INTRANET__")

    fail(breaking_off("intranet"))

    assert Site.objects.get().key == "intranet"


def test_keys_of_a_site_that_differ_in_case_are_of_one_site():
    episodes = [make_episode(0, "intranet"), make_episode(1, "Intranet")]

    import_episodes(episodes=episodes, source="vab", name="theirs")

    assert Site.objects.get().key == "intranet"
    assert Task.objects.count() == 2


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


class Killed(BaseException):
    """The process is gone."""


# What the end of a transaction and of a connection does without its process.
BY_ITSELF = ("ROLLBACK", "RELEASE", "SAVEPOINT", "SELECT pg_advisory_unlock")


def ending_at(is_moment: Callable[[str], bool]) -> Callable[..., Any]:
    """Let nothing be written from the statement on that `is_moment` recognises."""
    is_over = False

    def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal is_over
        if is_over and not sql.startswith(BY_ITSELF):
            raise Killed
        found = run(sql, params, many, context)
        is_over = is_over or is_moment(sql)
        return found

    return execute


def marks_a_run(sql: str) -> bool:
    return sql.startswith('UPDATE "curriculum_run" SET "tags"')


def opens_the_second_phase(sql: str) -> bool:
    return sql.startswith('INSERT INTO "curriculum_phase"') and bool(
        Run.objects.filter(name="second").exists()
    )


def two_runs() -> list[FileEpisode]:
    """Each run has a task of its own, and one that both have."""
    numbers = {"first": [0, 1], "second": [0, 2]}
    return [
        make_episode(number, "intranet", run)
        for run in ("first", "second")
        for number in numbers[run] * (BATCH // 2)
    ]


def import_two() -> ImportReport:
    return import_episodes(episodes=two_runs(), source="dataset")


def count_episodes() -> dict[str, int]:
    rows = Run.objects.filter(tags=" imported ").annotate(
        count=Count("phases__trajectories")
    )
    return dict(rows.values_list("name", "count"))


def kill_import(is_moment: Callable[[str], bool]) -> None:
    with connection.execute_wrapper(ending_at(is_moment)), suppress(Killed):
        import_two()


def test_an_import_killed_between_its_runs_can_be_repeated():
    kill_import(opens_the_second_phase)
    assert list(Run.objects.values_list("name", "tags")) == [("first", " importing ")]

    report = import_two()

    assert count_episodes() == {"first": BATCH, "second": BATCH}
    assert (Trajectory.objects.count(), Task.objects.count()) == (2 * BATCH, 3)
    assert (len(report.made.tasks), len(report.known)) == (3, 0)


def test_an_import_killed_at_its_end_has_marked_all_runs_or_none():
    kill_import(marks_a_run)

    assert {run.tags for run in Run.objects.all()} == {" imported "}
    assert count_episodes() == {"first": BATCH, "second": BATCH}


def test_a_failure_after_a_kill_leaves_no_task_of_either_import():
    kill_import(opens_the_second_phase)

    with pytest.raises(WorkbenchError, match="is broken"):
        import_episodes(episodes=breaking_off("intranet", run="first"), source="vab")

    assert (Run.objects.count(), Task.objects.count()) == (0, 0)
    assert not Site.objects.exists()


def test_a_repeat_that_fails_in_its_first_batch_leaves_nothing_of_a_killed_import():
    kill_import(opens_the_second_phase)
    wrong = dataclasses.replace(make_episode(run="first"), seed=-1)

    with pytest.raises(WorkbenchError, match="seed"):
        import_episodes(episodes=[wrong], source="vab")

    assert (Run.objects.count(), Task.objects.count()) == (0, 0)
    assert not Site.objects.exists()


def test_a_site_of_two_killed_imports_goes_when_the_third_fails():
    kill_import(opens_the_second_phase)
    kill_import(opens_the_second_phase)

    with pytest.raises(WorkbenchError, match="is broken"):
        import_episodes(episodes=breaking_off("", run="first"), source="vab")

    assert not Site.objects.exists()


def test_a_site_that_a_killed_import_found_stays():
    Site.objects.create(key="intranet", kind="external", placeholder="__INTRANET__")
    kill_import(opens_the_second_phase)

    with pytest.raises(WorkbenchError, match="is broken"):
        import_episodes(episodes=breaking_off("intranet", run="first"), source="vab")

    assert Site.objects.get().key == "intranet"


def test_a_site_of_a_killed_import_goes_when_the_repeat_needs_none():
    kill_import(opens_the_second_phase)

    import_episodes(episodes=[make_episode(run="first")], source="dataset")

    assert Site.objects.get().key == "imported"


def test_settings_of_a_finished_import_do_not_name_its_sites():
    import_one()

    assert "made_sites" not in Run.objects.get().config["import"]


def test_tasks_that_only_a_killed_import_had_go_with_the_next_success():
    kill_import(opens_the_second_phase)

    import_episodes(episodes=two_runs()[:1], source="dataset")

    assert Task.objects.get().spec["imported_key"] == "theirs.0"


def test_a_run_keeps_the_tags_that_people_gave_it_during_the_import():
    def tag(episodes: list[FileEpisode]) -> Iterator[FileEpisode]:
        yield from episodes
        Run.objects.update(tags=" importing night ")

    episodes = tag([make_episode(number) for number in range(BATCH)])
    import_episodes(episodes=episodes, source="vab", name="theirs")

    assert Run.objects.get().tags == " imported night "


def test_a_run_of_ours_with_the_tag_of_unfinished_imports_is_not_replaced():
    run = RunFactory(name="theirs", tags=" importing ")

    with pytest.raises(WorkbenchError, match="already a run"):
        import_one()

    assert list(Run.objects.all()) == [run]
