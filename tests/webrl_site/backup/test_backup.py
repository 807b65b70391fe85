"""A backup is whole, private and restores into an empty deployment only."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from rollouts.artifacts import store
from tests.factories import EvolvedTaskFactory, ReviewFactory, TrajectoryFactory
from tests.webrl_site.exports.test_full_disk import full_disk
from webrl_site.backup.archive import (
    MANIFEST,
    ROWS,
    BackupError,
    is_name,
    list_files,
    unpack,
)
from webrl_site.backup.making import back_up, choose_scratch
from webrl_site.backup.restoring import restore
from webrl_site.backup.rows import list_models, one_moment
from webrl_site.loop.reproducibility import describe_code

ROOT = Path(__file__).resolve().parents[3]
# The second where rows are written as one file: the limit is on a file's size.
FULL = "No space left on device|File too large"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """The data folder of a deployment with rows, an artifact and weights."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    store(settings.DATA_DIR / "artifacts", b"a page", ".html.gz")
    weights = settings.DATA_DIR / "checkpoints" / "phase-1" / "policy"
    weights.mkdir(parents=True)
    (weights / "model.safetensors").write_bytes(b"weights" * 1000)
    saving = settings.DATA_DIR / "checkpoints" / "phase-1" / ".saving"
    saving.mkdir()
    (saving / "half").write_bytes(b"half")
    return Path(settings.DATA_DIR)


@pytest.fixture
def backup(folder: Path, tmp_path: Path) -> Path:
    review = ReviewFactory()
    EvolvedTaskFactory(leased_by=review.reviewer)
    TrajectoryFactory(phase=review.task.born_in).phase.tasks.add(review.task)
    file = tmp_path / "lab.backup"
    back_up(file)
    return file


def manage(command: str, file: Path, data: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "WEBRL_DATA_DIR": str(data)}
    return subprocess.run(
        [sys.executable, "manage.py", command, str(file)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def members(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {info.name: tar.extractfile(info).read() for info in tar}  # type: ignore[union-attr]


def rewrite(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Write a backup anew with other members."""
    found = members(file)
    change(found)
    with tarfile.open(file, "w") as tar:
        for name, data in found.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def test_a_backup_restores_elsewhere_and_backs_up_to_the_same_rows(
    backup: Path, tmp_path: Path
):
    other = tmp_path / "other"

    done = manage("restore", backup, other)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Restored ")
    again = manage("back_up", tmp_path / "again.backup", other)
    assert again.returncode == 0, again.stderr

    first, second = members(backup), members(tmp_path / "again.backup")
    same = set(first) - {MANIFEST, ROWS}
    assert len(same) == 2
    assert all(first[name] == second[name] for name in same)
    counts = [json.loads(one[MANIFEST])["rows"] for one in (first, second)]
    assert counts[0] == counts[1]
    assert counts[0]["curriculum.review"] == 1


def test_a_backup_tells_which_version_made_it(backup: Path):
    manifest = json.loads(members(backup)[MANIFEST])

    assert manifest["commit"] == describe_code(ROOT)["commit"]


def test_a_restored_deployment_has_the_rows_as_they_were(folder: Path, backup: Path):
    before = list_rows()
    for path in ("artifacts", "checkpoints"):
        (folder / path).rename(folder / f"old-{path}")
    empty_database()

    restore(backup)

    assert list_rows() == before
    assert (folder / "checkpoints/phase-1/policy/model.safetensors").exists()
    # Numbers go on behind those that were restored.
    assert EvolvedTaskFactory().pk > max(row[0] for row in before["curriculum.task"])


def empty_database() -> None:
    from django.core.management import call_command

    call_command("flush", interactive=False, verbosity=0)


def list_rows() -> dict[str, list[tuple[Any, ...]]]:
    return {
        model._meta.label_lower: list(model._base_manager.order_by("pk").values_list())
        for model in list_models()
    }


def test_a_backup_is_for_its_owner_alone_and_never_overwrites(
    backup: Path, folder: Path
):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    before = backup.read_bytes()

    with pytest.raises(BackupError, match="exists already"):
        back_up(backup)

    assert backup.read_bytes() == before
    left = sorted(path.name for path in backup.parent.iterdir())
    assert left == ["data", backup.name]


def test_what_is_half_written_and_what_is_secret_stays_out(backup: Path):
    names = set(members(backup))

    assert not any(".saving" in name or "secret" in name for name in names)
    assert names >= {ROWS, MANIFEST}


def test_the_rows_of_a_backup_are_of_one_moment(tmp_path: Path):
    User.objects.create_user("before")

    with one_moment(tmp_path) as using:
        # A server's moment is that of the first question.
        assert User.objects.using(using).count() == 1
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(write_another).result()
        names = list(User.objects.using(using).values_list("username", flat=True))

    assert names == ["before"]
    assert User.objects.count() == 2


def write_another() -> None:
    try:
        User.objects.create_user("after")
    finally:
        connection.close()


def test_nothing_is_restored_over_rows(backup: Path, folder: Path, settings: Any):
    settings.DATA_DIR = folder.parent / "empty"
    settings.DATA_DIR.mkdir()

    with pytest.raises(BackupError, match="has rows already"):
        restore(backup)

    assert list(settings.DATA_DIR.iterdir()) == []


def test_nothing_is_restored_over_files(backup: Path):
    with pytest.raises(BackupError, match="holds files already"):
        restore(backup)


def drop_weights(found: dict[str, bytes]) -> None:
    del found["checkpoints/phase-1/policy/model.safetensors"]


def flip_a_bit(found: dict[str, bytes]) -> None:
    name = "checkpoints/phase-1/policy/model.safetensors"
    found[name] = b"W" + found[name][1:]


def add_a_file(found: dict[str, bytes]) -> None:
    manifest = found.pop(MANIFEST)
    found |= {"artifacts/more": b"x", MANIFEST: manifest}


def name_a_newer_version(found: dict[str, bytes]) -> None:
    manifest = json.loads(found[MANIFEST])
    manifest["migrations"].append("curriculum.9999_of_tomorrow")
    found[MANIFEST] = json.dumps(manifest).encode()


def name_an_older_version(found: dict[str, bytes]) -> None:
    manifest = json.loads(found[MANIFEST])
    kept = [name for name in manifest["migrations"] if "0001_" not in name]
    day, commit = "2026-11-20T08:30:00+00:00", "23fcc5b1" * 5
    manifest |= {"migrations": kept, "created_at": day, "commit": commit}
    found[MANIFEST] = json.dumps(manifest).encode()


def name_an_older_version_from_an_image(found: dict[str, bytes]) -> None:
    name_an_older_version(found)
    manifest = json.loads(found[MANIFEST])
    found[MANIFEST] = json.dumps(manifest | {"commit": None}).encode()


def forget_the_manifest(found: dict[str, bytes]) -> None:
    del found[MANIFEST]


def lead_out(found: dict[str, bytes]) -> None:
    manifest = found.pop(MANIFEST)
    found |= {"artifacts/../../escaped": b"x", MANIFEST: manifest}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (drop_weights, "is missing in it"),
        (flip_a_bit, "is damaged in it"),
        (add_a_file, "is damaged in it"),
        (name_a_newer_version, "newer version"),
        (name_an_older_version, "made on 2026-11-20 by commit 23fcc5b123\\)"),
        (name_an_older_version_from_an_image, "older version .* on 2026-11-20\\)"),
        (forget_the_manifest, "manifest is missing"),
        (lead_out, "something strange"),
    ],
)
def test_a_backup_that_was_changed_is_refused(
    change: Callable[[dict[str, bytes]], None],
    told: str,
    backup: Path,
    settings: Any,
    tmp_path: Path,
):
    rewrite(backup, change)
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()

    with pytest.raises(BackupError, match=told):
        restore(backup)

    assert list(settings.DATA_DIR.iterdir()) == []


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_a_backup_that_was_cut_short_is_refused(
    share: float, backup: Path, tmp_path: Path
):
    data = backup.read_bytes()
    backup.write_bytes(data[: int(len(data) * share)])

    with pytest.raises(BackupError, match="no whole backup"):
        unpack(backup, tmp_path / "unpacked")


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "artifacts/../x",
        "artifacts//x",
        "artifacts/./x",
        "artifacts",
        "checkpoints/a/../../x",
        "webrl.sqlite3",
        "secret_key",
        "",
    ],
)
def test_a_name_that_leads_elsewhere_is_none(name: str):
    assert not is_name(name)


def test_a_file_that_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, folder: Path
):
    with pytest.raises(BackupError, match="cannot be written"):
        back_up(tmp_path / "nowhere" / "lab.backup")


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, folder: Path):
    with full_disk(), pytest.raises(BackupError, match=FULL):
        back_up(tmp_path / "lab.backup")

    assert not list(tmp_path.glob("*lab.backup*"))


def test_rows_are_copied_next_to_the_backup_where_the_data_folder_has_no_room(
    tmp_path: Path, folder: Path, settings: Any
):
    settings.MIN_FREE_MIB = 0
    assert choose_scratch(tmp_path / "lab.backup") == folder

    settings.MIN_FREE_MIB = 10**9
    assert choose_scratch(tmp_path / "lab.backup") == tmp_path


def test_files_are_listed_while_folders_are_renamed_and_removed(folder: Path):
    steps, over = folder / "checkpoints" / "phase-1" / "steps-9", Event()

    def save_again_and_again() -> None:
        while not over.is_set():
            steps.mkdir()
            steps.rename(steps.with_name("steps-10"))
            steps.with_name("steps-10").rmdir()

    with ThreadPoolExecutor(1) as trainer:
        trainer.submit(save_again_and_again)
        try:
            found = {
                len(list(list_files(folder, "checkpoints", ()))) for _ in range(300)
            }
        finally:
            over.set()

    assert found == {2}


def test_a_folder_that_cannot_be_read_is_named(folder: Path):
    (folder / "checkpoints" / "file").write_bytes(b"")

    with pytest.raises(BackupError, match="checkpoints/file cannot be read"):
        list(list_files(folder, "checkpoints/file", ()))
