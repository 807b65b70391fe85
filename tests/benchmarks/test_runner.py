from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from benchmarks import __main__ as runner
from benchmarks import phase
from benchmarks.records import Record
from scripts.workbench.bench import NAMES


def test_every_name_has_a_module_and_a_line():
    assert list(runner.NAMES) == list(NAMES)
    assert [name for name in NAMES if not find_spec(f"benchmarks.{name}")] == []


def test_the_runner_prints_a_table_and_writes_the_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path, capsys
):
    monkeypatch.setattr(phase, "run", lambda: [Record("training", 30.0, 120.0, "s", 1)])

    assert runner.main(["phase", "--json", str(tmp_path / "phase.json")]) == 0

    assert "| training | 30 s | 120 s | 0.25 | 1 |" in capsys.readouterr().out
    assert json.loads((tmp_path / "phase.json").read_text())[0]["ratio"] == 0.25


def test_choices_are_refused_by_a_benchmark_that_takes_none(
    monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setattr(phase, "run", lambda: [Record("training", 30.0, 120.0, "s", 1)])

    with pytest.raises(SystemExit):
        runner.main(["phase", "--set", "tasks=3"])

    assert "phase takes no --set" in capsys.readouterr().err
