"""The test tasks of a site are read again with each decision."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curriculum.selectors.held_out import open_leak_gate
from tests.factories import TaskFactory

pytestmark = pytest.mark.django_db


@pytest.mark.skipif(connection.vendor != "sqlite", reason="asks SQLite for its plan")
def test_tasks_of_other_splits_are_not_looked_at():
    with CaptureQueriesContext(connection) as asked:
        open_leak_gate(["shop"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked[0]['sql']}")
        plan = " ".join(row[3] for row in cursor.fetchall())
    assert "(site_id=? AND split=?)" in plan


def test_the_same_test_tasks_open_the_same_gate():
    site = TaskFactory(split="test").site
    TaskFactory.create_batch(3, split="test", site=site)
    assert open_leak_gate([site.key]) is open_leak_gate([site.key])


def test_another_test_task_opens_another_gate():
    site = TaskFactory(split="test").site
    before = open_leak_gate([site.key])
    TaskFactory(split="test", site=site)
    assert open_leak_gate([site.key]) is not before
