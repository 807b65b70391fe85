from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from curriculum.models import Task
from tests.factories import UserFactory
from tests.seed import Example
from tests.seed_copies import copy_example

Rows = dict[str, list[dict[str, Any]]]


def copy(**options: int) -> Example:
    return copy_example(**{"tasks": 10, "waiting": 2, "metric_steps": 5, **options})


def take_back(**options: int) -> tuple[Example, Rows]:
    """Write or copy the example; return it and all rows, of which none stay."""
    with transaction.atomic():
        example, rows = copy(**options), read_rows()
        transaction.set_rollback(True)
    return example, rows


def read_rows() -> Rows:
    every = apps.get_models(include_auto_created=True)
    return {m._meta.label: list(m._base_manager.order_by("pk").values()) for m in every}


def split_times(rows: Rows) -> tuple[Rows, list[dt.datetime]]:
    """Return the rows without their times, and the times."""
    times: list[dt.datetime] = []
    for table in rows.values():
        for row in table:
            found = [k for k, value in row.items() if isinstance(value, dt.datetime)]
            times += [row.pop(name) for name in found]
    return rows, times


@pytest.mark.django_db
def test_a_copy_has_the_rows_that_were_written_at_its_own_time():
    written, written_at = split_times(take_back()[1])
    copied, copied_at = split_times(take_back()[1])

    assert copied == written
    assert len(written["rollouts.Step"]) > 100
    later = {new - old for old, new in zip(written_at, copied_at, strict=True)}
    assert len(later - {dt.timedelta()}) == 1  # rows of the migrations stay
    assert max(later) > dt.timedelta()


@pytest.mark.django_db
def test_a_copy_is_found_as_whoever_wrote_it_has_it():
    (written, _), (copied, _) = take_back(), take_back()

    assert copied == written
    assert [task.parent_id for task in copied.evolved] == [
        task.parent_id for task in written.evolved
    ]


@pytest.mark.django_db
def test_a_server_gets_all_rows_in_one_message():
    take_back()

    with CaptureQueriesContext(connection) as asked:
        take_back()

    messages = [query for query in asked if "INSERT INTO" in query["sql"]]
    assert len(messages) == 1 or connection.vendor == "sqlite"


@pytest.mark.django_db
def test_what_a_test_does_to_its_example_changes_no_copy():
    keys = []
    for _ in range(3):
        example, _ = take_back(waiting=4)
        keys.append(example.evolved[0].pk)
        example.evolved[0].pk = None

    assert len(set(keys)) == 1


@pytest.mark.django_db
def test_rows_that_stood_there_before_are_no_part_of_a_copy():
    take_back()
    other = UserFactory()

    example = copy()

    people = {example.annotator.pk, example.researcher.pk, example.admin.pk}
    assert len(people - {other.pk}) == 3
    assert set(User.objects.values_list("pk", flat=True)) == people | {other.pk}


@pytest.mark.django_db
def test_another_example_is_written_for_other_numbers():
    take_back()

    copy(waiting=3)

    assert Task.objects.filter(status=Task.Status.SHORTLISTED).count() == 3


@pytest.mark.django_db(transaction=True)
def test_an_example_is_copied_outside_of_a_transaction():
    for _ in range(2):
        call_command("flush", interactive=False)
        example = copy()

    assert set(User.objects.all()) == {
        example.annotator,
        example.researcher,
        example.admin,
    }
