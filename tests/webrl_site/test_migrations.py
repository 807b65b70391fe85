"""The migrations of each app are squashed to one; databases of before still upgrade."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.db.migrations import AddField
from django.db.migrations.loader import MigrationLoader
from django.db.models import NOT_PROVIDED

from tests.webrl_site.upgrading import APPS

# Added columns that an insert must name: no version from before them can write rows.
DEMANDING = (
    ("curriculum", "0023_serve_trained_policies"),
    ("rollouts", "0020_keep_refused_attempts"),
    ("rollouts", "0021_instances_of_sites"),
    ("rollouts", "0022_hand_weights_over"),
)


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory):
    """What `tests.webrl_site.upgrading` printed."""
    folder = tmp_path_factory.mktemp("databases")
    command = [sys.executable, "-m", "tests.webrl_site.upgrading", str(folder)]
    # Files of its own, also where the other tests' database is a server's.
    settings = {"DJANGO_SETTINGS_MODULE": "webrl_site.settings"}
    environment = {**os.environ, **settings, "WEBRL_DATA_DIR": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_each_app_has_one_first_migration():
    loader = MigrationLoader(None)
    present = [key for key in loader.graph.nodes if key[0] in APPS]
    replaced = {old for key in present for old in loader.get_migration(*key).replaces}
    assert len(replaced) == 53
    assert not replaced & set(present)


def test_the_previous_version_may_leave_out_what_a_migration_adds():
    loader = MigrationLoader(None)
    ours = {k: m for k, m in loader.disk_migrations.items() if k[0] in APPS}
    replaced = {old for migration in ours.values() for old in migration.replaces}
    demanding = {
        (*key, operation.name)
        for key, migration in ours.items()
        if key not in replaced and not migration.replaces and key not in DEMANDING
        for operation in migration.operations
        if isinstance(operation, AddField) and must_be_named(operation.field)
    }
    assert not demanding


def must_be_named(field):
    """Say whether the database refuses a row without the column."""
    is_column = not field.many_to_many
    return is_column and not field.null and field.db_default is NOT_PROVIDED


def test_all_ways_end_in_the_same_tables(upgraded):
    schemas = upgraded["schemas"]
    assert len(schemas["fresh"]) > 30
    assert schemas["fresh"] == schemas["replaced"] == schemas["middle"]


def test_a_database_with_all_replaced_migrations_needs_none_of_them(upgraded):
    assert not [name for name in upgraded["pending"]["replaced"] if "squash" in name]


def test_a_database_in_the_middle_applies_the_rest(upgraded):
    assert (
        "curriculum.0015_find_waiting_tasks_in_order" in upgraded["pending"]["middle"]
    )
