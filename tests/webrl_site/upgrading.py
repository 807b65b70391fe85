"""Empty databases brought up to date in three ways, in a process of its own.

`python -m tests.webrl_site.upgrading FOLDER` prints the tables of each as JSON. Tests
hold their database in a transaction, in which SQLite cannot migrate.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import django
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

APPS = ("curriculum", "rollouts", "training", "webrl_site")
# As far as a database of some weeks ago had come.
MIDDLE = ("curriculum", "0014_choose_the_next_reward_model")


def upgrade(connection):
    """Apply all that is pending, as `migrate` does."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def apply_replaced(connection, last=None):
    """Apply the migrations that were replaced, all or up to `last`."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    loader = executor.loader
    ends = [loader.get_migration(*key) for key in loader.graph.leaf_nodes()]
    targets = [end.replaces[-1] for end in ends if end.replaces]
    executor.migrate([last] if last else targets)


def list_pending(connection):
    """Names of what `migrate` would apply to our apps."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    ours = [migration for migration, _ in plan if migration.app_label in APPS]
    return [str(migration) for migration in ours]


def read_schema(connection):
    """Columns, indexes and constraints by table, whatever their order."""
    schema = {}
    with connection.cursor() as cursor:
        inspect = connection.introspection
        for table in inspect.table_names(cursor):
            if table.startswith(APPS):
                columns = inspect.get_table_description(cursor, table)
                found = inspect.get_constraints(cursor, table).values()
                schema[table] = {
                    "columns": sorted(str(column) for column in columns),
                    "constraints": sorted(str(sorted(c.items())) for c in found),
                }
    return schema


def main(folder):
    """Make the databases in the folder and print what became of them."""
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'default.sqlite3'}"
    django.setup()
    for name in ("fresh", "replaced", "middle"):
        values = connections.databases["default"]
        path = str(folder / f"{name}.sqlite3")
        connections.databases[name] = {**values, "NAME": path}
    upgrade(connections["default"])  # for the rows that migrations write
    upgrade(connections["fresh"])
    apply_replaced(connections["replaced"])
    apply_replaced(connections["middle"], MIDDLE)
    pending = {n: list_pending(connections[n]) for n in ("replaced", "middle")}
    upgrade(connections["replaced"])
    upgrade(connections["middle"])
    schemas = {n: read_schema(connections[n]) for n in ("fresh", "replaced", "middle")}
    sys.stdout.write(json.dumps({"pending": pending, "schemas": schemas}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
