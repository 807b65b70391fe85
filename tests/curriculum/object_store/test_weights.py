"""Weights that one machine publishes and another one fetches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

import pytest

from curriculum.errors import CheckpointError
from curriculum.object_store.fetching import name_listing, name_weights, read_listing
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.object_store.store import ObjectStore
from curriculum.rules import checkpoints
from curriculum.rules.checkpoints import (
    check_checkpoint,
    measure_size,
    read_digest,
    resolve_checkpoint,
)
from tests.fakes import read_skill, write_checkpoint
from tests.object_stores import bucket, s3_url, store, use_store

__all__ = ["bucket", "s3_url", "store"]
URI = "demo-1/phase-2/policy"


class Machine:
    """One machine of the lab: a data folder of its own."""

    def __init__(self, root: Path, settings: Any) -> None:
        self.root, self._settings = root, settings

    def use(self) -> Path:
        """Let this process be that machine; returns its checkpoints."""
        own = self.root / "checkpoints"
        self._settings.CHECKPOINT_ROOTS = [self.root / "models", own]
        self._settings.FETCHED_DIR = self.root / "fetched"
        return own


@pytest.fixture
def trainer(tmp_path: Path, settings: Any) -> Machine:
    return Machine(tmp_path / "trainer", settings)


@pytest.fixture
def worker(tmp_path: Path, settings: Any) -> Machine:
    return Machine(tmp_path / "worker", settings)


def publish(machine: Machine, skill: float, uri: str = URI) -> str:
    write_checkpoint(machine.use() / uri, skill)
    assert publish_checkpoint(uri)
    return read_digest(uri)


def test_weights_of_one_machine_are_found_on_another(
    store: ObjectStore, trainer: Machine, worker: Machine
) -> None:
    digest = publish(trainer, 0.7)

    worker.use()

    assert read_digest(URI) == digest
    assert measure_size(URI) == 10
    assert not (worker.root / "fetched").exists()
    assert read_skill(resolve_checkpoint(URI)) == 0.7
    assert resolve_checkpoint(URI) == str(worker.root / "fetched" / digest)


def test_the_machine_that_made_them_uses_its_own(
    store: ObjectStore, trainer: Machine
) -> None:
    publish(trainer, 0.7)

    assert resolve_checkpoint(URI) == str(trainer.root / "checkpoints" / URI)


def test_an_older_copy_or_namesake_is_never_taken_for_the_published_weights(
    store: ObjectStore, trainer: Machine, worker: Machine
) -> None:
    publish(trainer, 0.7)
    write_checkpoint(worker.use() / URI, 0.1)
    assert read_skill(resolve_checkpoint(URI)) == 0.7

    publish(trainer, 0.9)
    worker.use()

    assert read_skill(resolve_checkpoint(URI)) == 0.9


def test_damaged_weights_in_the_store_are_refused_until_written_anew(
    store: ObjectStore, trainer: Machine, worker: Machine
) -> None:
    publish(trainer, 0.7)
    listing = read_listing(URI)
    assert listing is not None
    store.put(name_weights(listing.files["config.json"][0]), b"x" * 14)
    worker.use()
    with pytest.raises(CheckpointError, match="is damaged in the object store"):
        resolve_checkpoint(URI)
    assert list((worker.root / "fetched").iterdir()) == []

    trainer.use()
    publish_checkpoint(URI, anew=True)
    worker.use()

    assert read_skill(resolve_checkpoint(URI)) == 0.7


def test_a_copy_that_was_damaged_here_is_fetched_again(
    store: ObjectStore, trainer: Machine, worker: Machine
) -> None:
    publish(trainer, 0.7)
    worker.use()
    copy = Path(resolve_checkpoint(URI))
    (copy / "model.safetensors").write_bytes(b"short")

    assert read_skill(resolve_checkpoint(URI)) == 0.7
    assert (copy / "model.safetensors").stat().st_size == 10


def test_the_listing_comes_last(
    store: ObjectStore, trainer: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    put_file = ObjectStore.put_file

    def note(self: ObjectStore, name: str, file: IO[bytes]) -> None:
        names.append(name)
        put_file(self, name, file)

    monkeypatch.setattr(ObjectStore, "put_file", note)

    publish(trainer, 0.7)
    publish_checkpoint(URI)

    assert names[-1] == name_listing(URI)
    assert len(names) == 3


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"digest": 3, "files": {}}', "[" * 9999),
        json.dumps({"digest": "a" * 64, "files": {"../x": ["a" * 64, 1]}}),
        json.dumps({"digest": "a" * 64, "files": {"..": ["a" * 64, 1]}}),
        json.dumps({"digest": "../../x", "files": {"x": ["a" * 64, 1]}}),
        json.dumps({"digest": "a" * 64, "files": {"x": ["../../x", 1]}}),
    ],
)
def test_a_listing_that_makes_no_sense_is_refused(
    bucket: ObjectStore, worker: Machine, text: str
) -> None:
    worker.use()
    bucket.put(name_listing(URI), text.encode())

    with pytest.raises(CheckpointError, match="is not readable"):
        check_checkpoint(URI)


def test_nothing_is_published_without_a_store_or_of_what_is_shipped(
    trainer: Machine, settings: Any
) -> None:
    write_checkpoint(trainer.use() / URI, 0.7)
    write_checkpoint(trainer.root / "models/starter/policy", 0.7)

    assert not publish_checkpoint(URI)
    use_store(settings, {"OBJECT_STORE": str(trainer.root / "shared")})
    assert not publish_checkpoint("starter/policy")
    assert not publish_checkpoint("http://models.example/v1#model")


def test_one_file_is_read_without_the_weights(
    store: ObjectStore, trainer: Machine, worker: Machine
) -> None:
    publish(trainer, 0.7)
    worker.use()

    assert checkpoints.read_file(URI, "config.json", 100) == b'{"skill": 0.7}'
    assert checkpoints.read_file(URI, "config.json", 3) is None
    assert checkpoints.read_file(URI, "tokenizer.json", 100) is None
