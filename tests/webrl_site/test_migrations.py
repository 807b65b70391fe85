"""The migrations of each app are squashed to one; databases of before still upgrade."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.db.migrations.loader import MigrationLoader

from tests.webrl_site.upgrading import APPS


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory):
    """What `tests.webrl_site.upgrading` printed."""
    folder = tmp_path_factory.mktemp("databases")
    command = [sys.executable, "-m", "tests.webrl_site.upgrading", str(folder)]
    environment = {**os.environ, "WEBRL_DATA_DIR": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_each_app_has_one_migration_to_apply():
    nodes = MigrationLoader(None).graph.nodes
    assert [sum(app == name for name, _ in nodes) for app in APPS] == [1, 1, 1, 1]


def test_the_squashed_migrations_make_the_tables_of_the_replaced_ones(upgraded):
    assert upgraded["schemas"]["fresh"] == upgraded["schemas"]["replaced"]
    assert len(upgraded["schemas"]["fresh"]) > 30


def test_a_database_with_all_replaced_migrations_has_nothing_to_apply(upgraded):
    assert upgraded["pending"]["replaced"] == []


def test_a_database_in_the_middle_upgrades(upgraded):
    assert upgraded["pending"]["middle"]
    assert upgraded["schemas"]["middle"] == upgraded["schemas"]["fresh"]
