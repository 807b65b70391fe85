from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curriculum.errors import CheckpointError
from curriculum.rules import vocabularies
from curriculum.rules.vocabularies import check_same_vocabulary, read_vocabulary
from tests.fakes import write_checkpoint


@pytest.fixture
def root(tmp_path: Path, settings: Any) -> Path:
    settings.CHECKPOINT_ROOTS = [tmp_path]
    for name in ("policy", "critic"):
        write_checkpoint(tmp_path / name, 0.5)
    return tmp_path


def tokens(folder: Path, vocabulary: object) -> None:
    text = json.dumps({"model": {"vocab": vocabulary}})
    (folder / "tokenizer.json").write_text(text)


def test_a_critic_with_other_tokens_is_refused(root: Path) -> None:
    tokens(root / "policy", {"a": 0, "b": 1})
    tokens(root / "critic", {"b": 0, "a": 1})

    with pytest.raises(CheckpointError, match="choose a critic"):
        check_same_vocabulary("policy", "critic")


def test_the_order_of_the_file_does_not_matter(root: Path) -> None:
    tokens(root / "policy", {"a": 0, "b": 1})
    tokens(root / "critic", {"b": 1, "a": 0})

    check_same_vocabulary("policy", "critic")


def test_scored_tokens_are_compared_by_their_places(root: Path) -> None:
    tokens(root / "policy", [["a", -1.0], ["b", -2.0]])
    tokens(root / "critic", [["b", -2.0], ["a", -1.0]])

    with pytest.raises(CheckpointError):
        check_same_vocabulary("policy", "critic")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"model": {"vocab": 3}}', "[" * 9999]
)
def test_a_file_that_says_nothing_refuses_nothing(root: Path, text: str) -> None:
    tokens(root / "policy", {"a": 0})
    (root / "critic/tokenizer.json").write_text(text)

    check_same_vocabulary("policy", "critic")


def test_a_served_policy_is_not_compared(root: Path) -> None:
    tokens(root / "critic", {"a": 0})

    check_same_vocabulary("http://models.example/v1#model", "critic")


def test_a_critic_cannot_be_served(root: Path) -> None:
    with pytest.raises(CheckpointError, match="must be in a folder"):
        check_same_vocabulary("policy", "http://models.example/v1#critic")


def test_a_huge_file_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens(root / "policy", {"a": 0})
    monkeypatch.setattr(vocabularies, "MAX_BYTES", 10)

    assert read_vocabulary("policy") == {}
