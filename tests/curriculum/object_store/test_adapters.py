"""Adapters travel with the policies that they were trained with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curriculum.errors import CheckpointError
from curriculum.object_store.fetching import name_weights, read_listing
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.object_store.store import ObjectStore
from curriculum.rules.checkpoints import has_adapter, name_adapter, resolve_adapter
from tests.fakes import read_adapter, write_adapter
from tests.object_stores import bucket, s3_url, store

__all__ = ["bucket", "s3_url", "store"]
POLICY, ADAPTER = "demo-1/phase-2/policy", "demo-1/phase-2/adapter"


@pytest.fixture
def move(tmp_path: Path, settings: Any) -> Any:
    """Let this process be the machine of this name; returns its data folder."""

    def use(name: str) -> Path:
        folder = tmp_path / name
        settings.CHECKPOINT_ROOTS = [folder / "models", folder / "checkpoints"]
        settings.FETCHED_DIR = folder / "fetched"
        return folder

    return use


def publish(move: Any, rank: int) -> None:
    write_adapter(move("trainer") / "checkpoints" / ADAPTER, rank)
    assert publish_checkpoint(name_adapter(POLICY))


def test_an_adapter_of_one_machine_is_found_on_another(
    store: ObjectStore, move: Any
) -> None:
    publish(move, 4)

    fetched = move("worker") / "fetched"

    assert has_adapter(POLICY)
    assert not fetched.exists()
    assert read_adapter(resolve_adapter(POLICY)) == 4
    assert Path(resolve_adapter(POLICY)).parent == fetched


def test_a_policy_that_left_none_has_none(store: ObjectStore, move: Any) -> None:
    move("worker")

    assert not has_adapter(POLICY)
    assert resolve_adapter(POLICY) == ""
    assert resolve_adapter("http://models.example/v1#base") == ""


def test_a_damaged_adapter_is_refused_until_it_is_written_anew(
    store: ObjectStore, move: Any
) -> None:
    publish(move, 4)
    listing = read_listing(ADAPTER)
    assert listing is not None
    store.put(name_weights(listing.files["adapter_model.safetensors"][0]), b"x" * 10)
    move("worker")
    with pytest.raises(CheckpointError, match="is damaged in the object store"):
        resolve_adapter(POLICY)

    move("trainer")
    publish_checkpoint(ADAPTER, anew=True)
    move("worker")

    assert read_adapter(resolve_adapter(POLICY)) == 4


def test_a_copy_that_was_damaged_here_is_fetched_again(
    store: ObjectStore, move: Any
) -> None:
    publish(move, 4)
    move("worker")
    copy = Path(resolve_adapter(POLICY))
    (copy / "adapter_model.safetensors").write_bytes(b"short")

    assert (Path(resolve_adapter(POLICY)) / "adapter_model.safetensors").read_bytes()[
        8:
    ] == b"{}"


def test_without_a_store_it_is_taken_where_it_lies(move: Any) -> None:
    folder = move("trainer") / "checkpoints" / ADAPTER
    write_adapter(folder, 4)

    assert resolve_adapter(POLICY) == str(folder)
