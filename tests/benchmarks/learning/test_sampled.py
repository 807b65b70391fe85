from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.learning.sampled import Counts, compare, main, read_counts
from benchmarks.learning.summary import format_percent
from rollouts.sites.sandbox.catalog import load_tasks

LAMP, MUG = [task["key"] for task in load_tasks("validation")[:2]]
EXPERIMENTS = Path(__file__).resolve().parents[3] / "docs/experiments"
START = "the start"
BEFORE: Counts = {LAMP: (2, 1), MUG: (2, 0)}


def read(policy: str) -> Counts:
    return read_counts(f"{EXPERIMENTS / 'learning_five_sites_sampled.jsonl'}:{policy}")


def test_the_gain_is_the_mean_over_tasks():
    found = compare([BEFORE], [{LAMP: (2, 2), MUG: (2, 1)}])
    assert found[1].difference.mean == pytest.approx(0.5)
    assert found[2].difference.mean == pytest.approx(0.5)
    assert (found[1].lost, found[1].won) == (0, 2)


def test_seeds_are_averaged_task_by_task():
    up, down = {LAMP: (2, 2), MUG: (2, 0)}, {LAMP: (2, 0), MUG: (2, 0)}
    assert compare([BEFORE], [up, down])[1].difference.mean == pytest.approx(0)


def test_seeds_of_both_sides_are_averaged():
    before = [BEFORE, {LAMP: (2, 1), MUG: (2, 2)}]
    found = compare(before, [{LAMP: (2, 2), MUG: (2, 1)}])
    assert found[1].difference.mean == pytest.approx(0.25)


def test_k_needs_as_many_attempts_at_every_task():
    assert list(compare([BEFORE], [{LAMP: (1, 1), MUG: (2, 1)}])) == [1]


def test_other_tasks_are_not_compared():
    with pytest.raises(SystemExit, match="the same tasks"):
        compare([BEFORE], [{LAMP: (2, 2)}])


def test_attempts_are_counted_in_a_folder(tmp_path: Path):
    rows = [
        {"key": LAMP, "attempt": attempt, "outcome": outcome}
        for attempt, outcome in enumerate((True, False, None))
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "0.episodes.jsonl").write_text(lines)
    assert read_counts(str(tmp_path)) == {LAMP: (3, 1)}


def test_a_policy_s_lines_are_read_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "sampled.jsonl"
    lines = [
        {"policy": "start", "key": LAMP, "attempts": 2, "solved": 0},
        {"policy": "phase 4", "key": LAMP, "attempts": 2, "solved": 1},
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_counts(f"{file}:phase 4") == {LAMP: (2, 1)}
    assert main(["--before", f"{file}:start", "--after", f"{file}:phase 4"]) == 0
    assert "pass@1: +50.0" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nowhere", "nowhere:start", "{file}:end"])
def test_a_name_without_attempts_is_refused(tmp_path: Path, name: str):
    file = tmp_path / "sampled.jsonl"
    file.write_text("")
    with pytest.raises(SystemExit, match=r"no attempts|neither a folder nor a file"):
        read_counts(name.format(file=file))


def test_the_documentation_s_figures_are_those_of_its_rows():
    found = compare([read(START)], [read(f"phase 4, seed {seed}") for seed in (1, 2)])
    control = [read(f"the demonstrations alone, seed {seed}") for seed in (1, 2)]
    over = compare(control, [read(f"phase 4, seed {seed}") for seed in (1, 2)])
    text = (EXPERIMENTS / "learning_five_sites.md").read_text()
    for gain in (found[1], found[8], over[1], over[8]):
        assert format_percent(gain.difference, sign="+") in text
