"""Gets Django ready for one shop's folder."""

from __future__ import annotations

import os
from pathlib import Path

import django

from rollouts.sites.oscar.names import EPISODES

# The variable that gives the settings the folder.
VARIABLE = "OSCAR_FOLDER"


def set_up(folder: Path) -> None:
    """Load the settings with that folder, regardless of the environment."""
    os.environ[VARIABLE] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "rollouts.sites.oscar.project.settings"
    django.setup()


def find_database(name: str) -> Path:
    """Where the database called "FOLDER/FILE" is."""
    return Path(os.environ[VARIABLE]) / EPISODES / f"{name}.sqlite3"
