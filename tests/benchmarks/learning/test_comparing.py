"""Two rows of a table told from each other, and the figures that the docs print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.learning.comparing import compare, describe, main, pick, read_groups

ROOT = Path(__file__).resolve().parents[3]
EXPERIMENTS = ROOT / "docs/experiments"
FIVE_SITES = EXPERIMENTS / "learning_five_sites_rows.jsonl"
TASKS = ("shop.test.00005", "shop.test.00006")


def write_rows(file: Path, outcomes: dict[tuple[str, int], list[bool]]) -> Path:
    """One row of each task; methods by name and seed."""
    lines = [
        {"method": m, "seed": seed, "phase": 1, "key": key, "outcome": outcome}
        for (m, seed), found in outcomes.items()
        for key, outcome in zip(TASKS, found, strict=True)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    found = {
        ("start", 0): [False, True],
        ("ours", 0): [True, False],
        ("ours", 1): [True, True],
    }
    return write_rows(tmp_path / "rows.jsonl", found)


def test_the_list_counts_solved_tasks_as_a_mean_over_seeds(rows, capsys):
    main([str(rows)])
    assert capsys.readouterr().out.splitlines() == [
        "1 start, phase 1, seeds 0: 1 of 2",
        "2 ours, phase 1, seeds 0,1: 1.5 of 2",
    ]


def test_a_comparison_counts_what_was_lost_and_won(rows, capsys):
    main([str(rows), "1", "2"])
    said = capsys.readouterr().out
    assert "difference, points: +25.0" in said
    assert "lost 1, won 1" in said


def test_a_seed_can_be_compared_by_itself(rows):
    chosen = pick(read_groups(rows), "2:1")
    assert describe(chosen) == "ours, phase 1, seeds 1: 2 of 2"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("0", "0 is not in the list of 1 to 2"),
        ("3", "3 is not in the list of 1 to 2"),
        ("ours", "ours is not in the list of 1 to 2"),
        ("2:7", "2 has no seed 7"),
    ],
)
def test_a_choice_that_is_not_there_is_refused(rows, choice: str, said: str):
    with pytest.raises(SystemExit, match=said):
        pick(read_groups(rows), choice)


def test_rows_without_a_common_task_are_refused(rows):
    before, after = read_groups(rows)
    with pytest.raises(SystemExit, match="no task in common"):
        compare(before[:1], after[1:2])


@pytest.mark.parametrize(
    ("before", "after", "page"),
    [
        ("6", "14:0", "learning_five_sites.md"),
        ("6", "14", "learning.md"),
        ("8", "14", "learning_five_sites.md"),
        ("15", "14", "learning_five_sites.md"),
        ("15:2", "14:2", "learning_five_sites.md"),
        ("11", "12", "learning_five_sites.md"),
        ("1", "12", "learning_five_sites.md"),
        ("13", "12", "learning_five_sites.md"),
        ("1", "13", "learning_five_sites.md"),
        ("6", "15", "learning_five_sites.md"),
        ("6", "19", "learning.md"),
        ("9", "19", "learning_five_sites.md"),
        ("15:2", "19:2", "learning_five_sites.md"),
        ("1", "18", "learning.md"),
        ("15:0", "19:0", "learning_five_sites.md"),
        ("23", "11:0", "learning_five_sites.md"),
        ("1", "11", "learning.md"),
        ("13", "11", "learning_five_sites.md"),
    ],
)
def test_the_docs_print_what_the_rows_say(before: str, after: str, page: str):
    groups = read_groups(FIVE_SITES)
    said = compare(pick(groups, before), pick(groups, after))
    difference = said[0].removeprefix("difference, points: ").split(" (")[0]
    text = (EXPERIMENTS / page).read_text(encoding="utf-8")
    assert difference in text.replace(" points ", " ")
