"""Each verb passes on to the command that does it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.workbench import cli, up
from scripts.workbench.cli import run_verb
from webrl_site.runs import config as run_config


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    found: list[list[str]] = []

    def manage(arguments: list[str]) -> int:
        found.append(list(arguments))
        return 0

    monkeypatch.setattr(up, "manage", manage)
    return found


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("launch --preset demo --seed 3", "launch_run --preset=demo --seed=3"),
        ("runs --last 3", "list_runs --last=3"),
        ("watch 7", "watch_phase 7"),
        ("stop first-light/2", "stop_phase first-light/2"),
        ("stop 7", "stop_phase 7"),
        ("resume 7", "resume_phase 7"),
        (
            "sft hand --run 3 --copies 7 --epochs 2",
            "train_sft hand --run=3 --epochs=2 --copies=7",
        ),
        ("review export - reason=ambiguous", "export_list reviews - reason=ambiguous"),
        ("trajectories export -", "export_list trajectories -"),
        (
            "trajectories export - phase=3 --steps --format csv",
            "export_list steps - phase=3 --format=csv",
        ),
    ],
)
def test_a_verb_passes_its_words_on(
    words: str, command: str, passed: list[list[str]]
) -> None:
    assert run_verb(words.split()) == 0
    assert passed == [command.split()]


def test_files_are_found_from_where_one_is(passed: list[list[str]]) -> None:
    run_verb(["launch", "run.json"])
    run_verb(["review", "export", "reviews.csv"])

    here = Path.cwd()
    assert passed == [
        ["launch_run", str(here / "run.json")],
        ["export_list", "reviews", str(here / "reviews.csv")],
    ]


@pytest.mark.parametrize("words", ["watch first", "stop", "review", "review export"])
def test_what_is_missing_is_said(words: str, passed: list[list[str]]) -> None:
    with pytest.raises(SystemExit):
        run_verb(words.split())

    assert passed == []


@pytest.mark.parametrize("words", ["watch /2", "watch first/", "launch --preset no"])
def test_what_cannot_be_is_refused_in_our_own_name(
    words: str, passed: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run_verb(words.split())

    assert capsys.readouterr().err.startswith("usage: ./webrl ")
    assert passed == []


def test_a_file_that_cannot_be_written_is_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (tmp_path, tmp_path / "backups" / "lab.backup"):
        with pytest.raises(SystemExit):
            run_verb(["backup", str(name)])

    said = capsys.readouterr().err
    assert f"{tmp_path} is a folder: name a file" in said
    assert f"there is no folder {tmp_path / 'backups'}" in said


def test_a_file_in_a_folder_of_others_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Path] = []
    # The account of the tests may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append(path))
    (tmp_path / "old.json").touch()

    for name in ("old.json", "new.json"):
        with pytest.raises(SystemExit):
            run_verb(["backup", str(tmp_path / name)])

    assert "new.json cannot be written" in capsys.readouterr().err
    assert asked == [tmp_path / "old.json", tmp_path]


def test_the_presets_are_those_of_the_launch() -> None:
    assert sorted(cli.PRESETS) == sorted(run_config.PRESETS)


def test_every_word_of_the_command_line_is_explained() -> None:
    unsaid = [
        f"{parser.prog} {action.dest}"
        for parser in _walk(cli.build_parser())
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]

    assert unsaid == []


def _walk(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _walk(inner)
