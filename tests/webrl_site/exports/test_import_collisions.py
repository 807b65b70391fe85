"""Imports that meet the changes of other imports in the database."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Run, Site, Task
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode
from rollouts.models import Trajectory
from rollouts.services.imported.episodes import BATCH, import_episodes
from tests.webrl_site.exports.importing import (
    breaking_off,
    fail,
    import_one,
    make_episode,
)

pytestmark = pytest.mark.django_db


def colliding(table: str, times: int, error: Exception) -> Callable[..., Any]:
    """Refuse the first writings to a table, as another import's change does."""
    left = times

    def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal left
        if left and sql.startswith(
            (f'INSERT INTO "{table}"', f'DELETE FROM "{table}"')
        ):
            left -= 1
            raise error
        return run(sql, params, many, context)

    return execute


def make_deadlock() -> OperationalError:
    error = OperationalError("deadlock detected")
    error.__cause__ = Deadlock()
    return error


class Deadlock(Exception):
    sqlstate = "40P01"


@pytest.mark.parametrize("error", [IntegrityError("a key"), make_deadlock()])
def test_a_batch_that_meets_another_import_is_written_again(error: Exception):
    episode = dataclasses.replace(make_episode(), policy="their-policy")

    with connection.execute_wrapper(colliding("rollouts_trajectory", 1, error)):
        report = import_episodes(episodes=[episode] * 2, source="vab", name="theirs")

    assert (report.runs, report.episodes) == (["theirs"], 2)
    assert set(Trajectory.objects.values_list("repeat", flat=True)) == {0, 1}
    assert Phase.objects.get().next_policy_uri == "their-policy"


def test_a_policy_is_stored_when_its_batch_is_written_again():
    first = [make_episode(number) for number in range(BATCH)]
    named = dataclasses.replace(make_episode(), policy="their-policy")

    def then() -> Iterator[FileEpisode]:
        yield from first
        with connection.execute_wrapper(
            colliding("rollouts_trajectory", 1, IntegrityError("a key"))
        ):
            yield named

    import_episodes(episodes=then(), source="vab", name="theirs")

    assert Phase.objects.get().next_policy_uri == "their-policy"


def test_a_batch_that_meets_other_imports_twice_says_what_to_do():
    wrapper = colliding("rollouts_trajectory", 2, IntegrityError("a key"))

    with (
        connection.execute_wrapper(wrapper),
        pytest.raises(WorkbenchError, match="Run the same command again"),
    ):
        import_one()

    assert (Run.objects.count(), Task.objects.count()) == (0, 0)


def test_a_failure_that_meets_another_import_still_deletes_what_it_made():
    wrapper = colliding("curriculum_task", 1, IntegrityError("a key"))

    def collide(episodes: Iterator[FileEpisode]) -> Iterator[FileEpisode]:
        try:
            yield from episodes
        except EpisodeFileError:
            connection.execute_wrappers.append(wrapper)
            raise

    fail(collide(breaking_off("intranet")))
    connection.execute_wrappers.remove(wrapper)

    assert (Task.objects.count(), Site.objects.count()) == (0, 0)


def test_a_database_that_is_away_is_not_taken_for_another_import():
    wrapper = colliding("rollouts_trajectory", 1, OperationalError("it is away"))

    with (
        connection.execute_wrapper(wrapper),
        pytest.raises(OperationalError, match="it is away"),
    ):
        import_one()
