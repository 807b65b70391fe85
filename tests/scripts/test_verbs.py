"""Each verb passes on to the command that does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.workbench import up
from scripts.workbench.cli import run_verb


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
        ("watch 7", "watch_phase 7"),
        ("stop 7", "stop_phase 7"),
        ("resume 7", "resume_phase 7"),
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
