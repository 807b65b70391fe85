from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import (
    count_parameters,
    read_digest,
    resolve_checkpoint,
)
from tests.fakes import write_checkpoint


@pytest.fixture
def root(tmp_path: Path, settings: Any) -> Path:
    settings.CHECKPOINT_ROOTS = [tmp_path / "shipped", tmp_path / "made"]
    write_checkpoint(tmp_path / "made/phase-1/policy", 0.5)
    return tmp_path / "made"


def manifest(directory: Path, **files: str) -> None:
    (directory / "manifest.json").write_text(json.dumps({"files": files}))


def test_an_address_is_found_below_the_roots(root: Path) -> None:
    assert resolve_checkpoint("phase-1/policy") == str(root / "phase-1/policy")


def test_a_served_model_keeps_its_address(root: Path) -> None:
    uri = "http://models.example/v1#model"

    assert resolve_checkpoint(uri) == uri
    assert read_digest(uri) == ""


@pytest.mark.parametrize(
    "host",
    [
        *("127.1.", "%31%32%37.0.0.1", "\uff11.0.0.1", "[::1%25lo]", "017700000001."),
        *("127.0.0.1%00.example.org", "127.0.0.1\\@1.1.1.1", "ip6-localhost"),
        *("localhost.localdomain", "gpu1", "printer.local", "a.internal."),
    ],
)
def test_a_host_that_can_be_seen_not_to_be_public_is_refused(host: str) -> None:
    with pytest.raises(CheckpointError, match="is not an allowed address"):
        resolve_checkpoint(f"http://{host}:8000/v1#model")


@pytest.mark.parametrize(
    "host", ["models.example", "1.1.1.1", "a-b.example.", "m_1.io"]
)
def test_a_host_that_may_be_public_is_taken(host: str) -> None:
    uri = f"http://{host}/v1#model"

    assert resolve_checkpoint(uri) == uri


def write_header(directory: Path, shape: list[int]) -> None:
    tensor = {"dtype": "F32", "shape": shape, "data_offsets": [0, 24]}
    header = json.dumps({"weight": tensor}).encode()
    text = struct.pack("<Q", len(header)) + header + bytes(24)
    (directory / "model.safetensors").write_bytes(text)


@pytest.mark.parametrize(("shape", "count"), [([2, 3], 6), ([2, 10**12], None)])
def test_parameters_are_counted_where_the_shapes_fit_the_file(
    root: Path, shape: list[int], count: int | None
) -> None:
    write_header(root / "phase-1/policy", shape)
    assert count_parameters("phase-1/policy") == count


def test_the_parameters_of_a_served_model_are_not_known() -> None:
    assert count_parameters("http://models.example/v1#model") is None


@pytest.mark.parametrize(
    "uri", ["", "../x", "a/../../x", "/etc", "a\\b", "phase-2/policy", "phase-1"]
)
def test_other_addresses_are_refused(root: Path, uri: str) -> None:
    with pytest.raises(CheckpointError):
        resolve_checkpoint(uri)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_missing_file_is_noticed(root: Path, name: str) -> None:
    (root / "phase-1/policy" / name).unlink()

    with pytest.raises(CheckpointError):
        resolve_checkpoint("phase-1/policy")


@pytest.mark.parametrize("size", range(10))
def test_a_truncated_file_is_noticed(root: Path, size: int) -> None:
    path = root / "phase-1/policy/model.safetensors"
    path.write_bytes(path.read_bytes()[:size])

    with pytest.raises(CheckpointError, match="not readable"):
        resolve_checkpoint("phase-1/policy")


def test_a_changed_file_is_noticed_by_its_digest(root: Path) -> None:
    manifest(root / "phase-1/policy", **{"model.safetensors": "0" * 64})

    with pytest.raises(CheckpointError, match="has changed"):
        resolve_checkpoint("phase-1/policy")


def test_a_file_that_the_manifest_lists_must_be_there(root: Path) -> None:
    manifest(root / "phase-1/policy", **{"tokenizer.json": "0" * 64})

    with pytest.raises(CheckpointError, match="lacks"):
        resolve_checkpoint("phase-1/policy")


def test_a_manifest_that_is_none_is_noticed(root: Path) -> None:
    (root / "phase-1/policy/manifest.json").write_text("[")

    with pytest.raises(CheckpointError, match=r"manifest\.json"):
        resolve_checkpoint("phase-1/policy")


def test_the_digest_follows_the_content(root: Path) -> None:
    before = read_digest("phase-1/policy")
    assert read_digest("phase-1/policy") == before
    write_checkpoint(root / "phase-1/policy", 0.6)

    assert read_digest("phase-1/policy") != before
