"""Backups of a deployment that keeps its files in an object store."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curriculum.object_store.store import ObjectStore
from curriculum.rules.checkpoints import read_digest, resolve_checkpoint
from rollouts.artifact_store import load_page, open_artifacts, store_page
from tests.fakes import read_skill, write_checkpoint
from tests.object_stores import bucket, s3_url, store, use_store
from tests.s3_server import variables
from training.models import Checkpoint
from training.services import register_checkpoint
from webrl_site.backup.archive import BackupError
from webrl_site.backup.making import back_up
from webrl_site.backup.restoring import restore

__all__ = ["bucket", "s3_url", "store"]
pytestmark = pytest.mark.django_db(transaction=True)
URI = "demo-1/phase-1/policy"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> Path:
    return use_data(settings, tmp_path / "data")


def use_data(settings: Any, folder: Path) -> Path:
    """Let this process be a machine with this data folder."""
    folder.mkdir()
    settings.DATA_DIR = folder
    settings.CHECKPOINTS_DIR = folder / "checkpoints"
    settings.CHECKPOINT_ROOTS = [folder / "models", folder / "checkpoints"]
    settings.FETCHED_DIR = folder / "fetched"
    if not settings.OBJECT_STORE.startswith("s3://"):
        settings.ARTIFACTS_DIR = Path(settings.OBJECT_STORE or folder) / "artifacts"
    return folder


def fill(data: Path) -> str:
    """Register weights that only this machine has; returns a page's digest."""
    write_checkpoint(data / "checkpoints" / URI, 0.7)
    register_checkpoint(uri=URI, kind=Checkpoint.Kind.POLICY)
    return store_page("<p>a page</p>")


def members(file: Path) -> set[str]:
    with tarfile.open(file) as tar:
        return {info.name for info in tar}


def test_a_backup_made_elsewhere_holds_pages_and_weights_of_the_store(
    store: ObjectStore, data: Path, tmp_path: Path, settings: Any
) -> None:
    settings.ARTIFACTS_DIR = Path(settings.OBJECT_STORE) / "artifacts"
    page = fill(data)
    call_command("fill_object_store")
    use_data(settings, tmp_path / "other machine")

    made = back_up(tmp_path / "lab.backup")

    assert made.files == 3
    assert {
        f"artifacts/{page[:2]}/{page}.html.gz",
        f"checkpoints/{URI}/config.json",
        f"checkpoints/{URI}/model.safetensors",
    } < members(tmp_path / "lab.backup")


def test_a_backup_of_a_folder_restores_into_a_store(
    s3_url: str, data: Path, tmp_path: Path, settings: Any
) -> None:
    page, digest = fill(data), read_digest(URI)
    back_up(tmp_path / "lab.backup")
    Checkpoint.objects.all().delete()
    objects = use_store(settings, variables(s3_url, tmp_path.name))
    use_data(settings, tmp_path / "new")
    call_command("flush", interactive=False, verbosity=0)

    restore(tmp_path / "lab.backup")
    use_data(settings, tmp_path / "worker")

    assert load_page(page) == "<p>a page</p>"
    assert read_skill(resolve_checkpoint(URI)) == 0.7
    assert read_digest(URI) == digest
    assert objects.find(f"artifacts/{page[:2]}/{page}.html.gz") is not None


def test_a_store_that_holds_files_is_not_restored_into(
    bucket: ObjectStore, data: Path, tmp_path: Path, settings: Any
) -> None:
    fill(data)
    back_up(tmp_path / "lab.backup")
    use_data(settings, tmp_path / "new")

    with pytest.raises(BackupError, match=r"s3://lab/.* holds files already"):
        restore(tmp_path / "lab.backup")


def test_a_folders_pages_are_copied_to_a_store_once_or_twice(
    s3_url: str, data: Path, tmp_path: Path, settings: Any
) -> None:
    page = fill(data)
    use_store(settings, variables(s3_url, tmp_path.name))

    for _ in range(2):
        call_command("fill_object_store")

    assert load_page(page) == "<p>a page</p>"
    assert [name for name, _ in open_artifacts().list_sizes()] == [f"{page}.html.gz"]
