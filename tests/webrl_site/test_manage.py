from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import OperationalError

import manage
from curriculum.models import Task

ROOT = Path(__file__).resolve().parents[2]


def test_a_damaged_database_ends_a_command_with_one_line(tmp_path: Path):
    (tmp_path / "webrl.sqlite3").write_bytes(b"no database " * 1000)

    done = subprocess.run(
        [sys.executable, "manage.py", "migrate"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "WEBRL_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("The database is damaged (file is not a database)")
    assert "Traceback" not in done.stderr


def test_a_database_without_room_to_be_opened_is_no_damage():
    error = OperationalError("disk I/O error")
    assert "its disk is full. Make room" in manage.explain(error, free=0)


@pytest.mark.django_db
def test_a_disk_with_room_and_a_fault_is_not_explained():
    assert manage.explain(OperationalError("disk I/O error"), free=2**30) == ""


@pytest.mark.django_db
def test_a_new_deployment_is_prepared_with_tasks_and_roles() -> None:
    call_command("prepare", verbosity=0)

    assert Task.objects.filter(site__key="shop", split="test").exists()
    assert Group.objects.exists()
