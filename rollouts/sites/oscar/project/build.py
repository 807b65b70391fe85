"""Builds the shop's folder: `python -m rollouts.sites.oscar.project.build FOLDER`.

The template database, from which every episode's is copied, is renamed into place last.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from rollouts.sites.oscar.data import CATEGORIES
from rollouts.sites.oscar.names import TEMPLATE
from rollouts.sites.oscar.project.start import set_up

PARTS = (TEMPLATE, "index", "static", "media")


def build(folder: Path) -> None:
    """Make everything that episodes need, replacing what was there."""
    for part in PARTS:
        path = folder / part
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    scratch = folder / "building.sqlite3"
    scratch.unlink(missing_ok=True)
    set_up(folder)
    _fill(scratch)
    scratch.replace(folder / TEMPLATE)


def _fill(scratch: Path) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection, transaction

    from rollouts.sites.oscar.project.episode import use_database
    from rollouts.sites.oscar.project.pictures import draw_covers
    from rollouts.sites.oscar.project.seed import seed

    use_database(scratch)
    call_command("migrate", run_syncdb=True, verbosity=0)
    with transaction.atomic():
        seed()
    call_command("rebuild_index", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    draw_covers(Path(settings.MEDIA_ROOT) / "covers", CATEGORIES)
    connection.cursor().execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute())
