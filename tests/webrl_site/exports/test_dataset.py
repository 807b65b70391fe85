from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pyarrow import parquet

from curriculum.models import Phase, Run, Site, Task
from curriculum.selectors.pools import usable_tasks
from rollouts.interchange.dataset import read_dataset, write_dataset
from rollouts.models import Step, Trajectory
from tests.factories import (
    PhaseFactory,
    RunFactory,
    StepFactory,
    TaskFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.rollouts.interchange.test_browsergym import write_experiment
from tests.rollouts.interchange.test_vab import CLICK, EXIT, write_actions, write_trace
from webrl_site.charts.views import build_charts
from webrl_site.exports.episodes import list_sft_rows, read_for_dataset

NOON = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


def write_episode(split: str = "train", **fields: Any) -> Trajectory:
    """Write an episode with two steps and all that a record may hold."""
    purpose = "collect" if split == "train" else "evaluate"
    row: Trajectory = TrajectoryFactory(
        task=TaskFactory(split=split),
        **{
            "purpose": purpose,
            "outcome": True,
            "outcome_checks": [{"name": "answer", "passed": True}],
            "success_probability": 0.75,
            "reward": 1.0,
            "answer": "$5",
            "final_url": "__SHOP__/cart",
            "seed": 2**62,
            "started_at": NOON,
            "ended_at": NOON + dt.timedelta(seconds=3),
            **fields,
        },
    )
    for index in range(2):
        StepFactory(
            trajectory=row,
            index=index,
            url="__SHOP__/",
            title="Shop “one”",
            target_box=[1.0, 2.5, 3.0, 4.0],
            timing={"observe": 1.5},
            log_probability=-0.25,
            token_count=2,
            token_ids=[5, 6],
            token_log_probabilities=[-0.125, -0.125],
        )
    row.step_count = 2
    row.save()
    return row


@pytest.fixture
def phase(db: None) -> Phase:
    run = RunFactory(name="first light")
    found: Phase = PhaseFactory(
        run=run,
        status=Phase.Status.CLOSED,
        next_policy_uri="first-light/phase-1/policy",
    )
    return found


def export(folder: Path, *words: str) -> Path:
    call_command("export_dataset", str(folder), *words, verbosity=0)
    return folder


def read_tables(folder: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(folder)): parquet.read_table(path).to_pylist()
        for path in sorted(folder.rglob("*.parquet"))
    }


def test_an_export_imported_into_an_empty_database_gives_equal_rows(
    phase: Phase, tmp_path: Path
):
    write_episode(phase=phase)
    write_episode("test", phase=phase, outcome=False, reward=0.0)
    write_episode(phase=phase, outcome=None, ended_by="step_limit", answer="")
    first = read_tables(export(tmp_path / "first"))
    for model in (Step, Trajectory, Phase, Run, Task, Site):
        model.objects.all().delete()

    call_command("import_trajectories", str(tmp_path / "first"))

    assert read_tables(export(tmp_path / "again")) == first
    assert Trajectory.objects.count() == len(first["trajectories/train.parquet"]) + 1
    assert Step.objects.count() == 6


def test_sft_rows_are_of_successful_training_episodes_alone(
    phase: Phase, tmp_path: Path
):
    good = write_episode(phase=phase)
    write_episode(phase=phase, outcome=False)
    write_episode("test", phase=phase)
    write_episode("validation", phase=phase)

    tables = read_tables(export(tmp_path / "data"))

    rows = tables["sft/train.parquet"]
    assert len(rows) == 2
    assert good.task.instruction in rows[0]["conversations"][0]["value"]
    assert not any(name.startswith(("sft/test", "sft/val")) for name in tables)
    assert list(list_sft_rows()) == rows


def test_sft_rows_make_a_round_trip(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    file = tmp_path / "demonstrations.jsonl"
    call_command("export_list", "trajectories", str(file), "--format", "sft")

    call_command("import_trajectories", str(file), "--name", "published")

    rows = list(list_sft_rows(run=Run.objects.get(name="published").pk))
    assert rows == [json.loads(line) for line in file.read_text().splitlines()]


def test_hugging_faces_library_loads_the_dataset(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    write_episode("test", phase=phase)
    folder = export(tmp_path / "data", "--title", 'a: "b"')
    from datasets import load_dataset

    cache = str(tmp_path / "cache")
    found = load_dataset(str(folder), "trajectories", cache_dir=cache)
    sft = load_dataset(str(folder), "sft", cache_dir=cache)

    assert {name: len(rows) for name, rows in found.items()} == {"train": 1, "test": 1}
    assert sft["train"][0]["conversations"][1]["from"] == "gpt"


def test_nothing_imported_is_attempted_or_continued(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    export(tmp_path / "data")
    Task.objects.update(instruction="Another task of the same name")

    call_command("import_trajectories", str(tmp_path / "data"), "--name", "theirs")

    run = Run.objects.get(name="theirs first light")
    made = Task.objects.get(key__startswith="imported.")
    assert made.status == Task.Status.FILTERED
    assert made not in usable_tasks(run, Task.Split.TRAIN)
    assert [one.status for one in run.phases.all()] == [Phase.Status.CLOSED]
    assert run.orm_uri == "imported"


def import_with_settings(folder: Path, text: str, name: str) -> Run:
    file = folder.with_suffix(".json")
    file.write_text(text)
    words = ["--name", name, "--config", str(file)]
    call_command("import_trajectories", str(folder), *words)
    return Run.objects.get(name__startswith=name)


def test_charts_compare_imported_runs_by_their_settings(phase: Phase, tmp_path: Path):
    write_episode("test", phase=phase)
    export(tmp_path / "data")

    runs = [
        import_with_settings(
            tmp_path / "data", f'{{"algorithm": {{"beta": {beta}}}}}', f"beta {beta}"
        )
        for beta in (0.5, 0.05)
    ]

    drawn = build_charts([run.pk for run in runs], [])
    (chart,) = [one for one in drawn if one.key == "success-by-algorithm-beta"]
    assert chart.figure["layout"]["xaxis"]["categoryarray"] == ["0.05", "0.5"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"algorithm": {"beta": -1}}', "beta"),
        ('{"algorithm": {"colour": 1}}', "colour"),
        ("[1]", "object"),
        ("beta: 1", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_settings_that_no_run_can_have_are_refused_and_nothing_stays(
    phase: Phase, tmp_path: Path, text: str, told: str
):
    write_episode(phase=phase)
    export(tmp_path / "data")

    with pytest.raises(CommandError, match=told):
        import_with_settings(tmp_path / "data", text, "theirs")

    assert list(Run.objects.all()) == [phase.run]


def test_the_same_task_of_ours_is_found(phase: Phase, tmp_path: Path):
    row = write_episode(phase=phase)
    export(tmp_path / "data")

    call_command("import_trajectories", str(tmp_path / "data"), "--name", "theirs")

    imported = Trajectory.objects.exclude(pk=row.pk).get()
    assert imported.task == row.task


def test_a_taken_name_is_refused_and_nothing_stays(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    export(tmp_path / "data")

    with pytest.raises(CommandError, match="already a run"):
        call_command("import_trajectories", str(tmp_path / "data"))

    assert Trajectory.objects.count() == 1


def test_an_imported_failure_gets_its_error_type(phase: Phase, tmp_path: Path):
    write_episode("test", phase=phase, outcome=False, ended_by="exit")
    write_episode("test", phase=phase, outcome=True)
    call_command("export_dataset", str(tmp_path / "data"))

    call_command("import_trajectories", str(tmp_path / "data"), "--name", "theirs")

    imported = Trajectory.objects.filter(phase__run__tags__contains="imported")
    types = set(imported.values_list("outcome", "error_type"))
    assert (False, "no_attempt") in types or (False, "wrong_stop") in types
    assert {kind for outcome, kind in types if outcome} == {""}


def test_a_late_mistake_leaves_no_tasks_of_earlier_episodes(db: None, tmp_path: Path):
    for number in range(60):
        write_trace(tmp_path, [CLICK, EXIT], str(number))
    (tmp_path / "traces" / "99.jsonl").write_text("[")

    with pytest.raises(CommandError, match=r"99\.jsonl"):
        call_command("import_trajectories", str(tmp_path))

    assert (Run.objects.count(), Task.objects.count()) == (0, 0)


def change(folder: Path, table: str, column: str, value: Any) -> None:
    path = folder / table / "train.parquet"
    rows = parquet.read_table(path)
    place = rows.column_names.index(column)
    kind = rows.schema.field(column).type
    values = pyarrow.array([value] * len(rows), type=kind)
    parquet.write_table(rows.set_column(place, column, values), path)


@pytest.mark.parametrize(
    ("table", "column", "value", "told"),
    [
        ("trajectories", "purpose", "cheating", "purpose"),
        ("trajectories", "ended_by", None, "ended_by"),
        ("trajectories", "split", "all", "split"),
        ("trajectories", "site", "../etc", "site"),
        ("trajectories", "phase", -1, "phase"),
        ("trajectories", "success_probability", 7.0, "success_probability"),
        ("trajectories", "spec", "[1]", "spec"),
        ("trajectories", "checks", '["x"]', "checks"),
        ("trajectories", "checks", '[{"got": NaN}]', "checks"),
        ("trajectories", "spec", '{"eval": 1e999}', "spec"),
        ("trajectories", "spec", f'{{"a": {"[" * 700}{"]" * 700}}}', "spec"),
        ("steps", "action", "[", "action"),
        ("steps", "timing", '{"page": Infinity}', "timing"),
        ("steps", "target_box", [float("nan")] * 4, "target_box"),
        ("steps", "token_log_probabilities", [float("-inf")], "token_log_prob"),
        ("steps", "token_count", -5, "token_count"),
        ("steps", "episode", 99, "episode"),
        ("steps", "index", 5, "not in order"),
    ],
)
def test_a_hostile_dataset_is_refused_whole(
    phase: Phase, tmp_path: Path, table: str, column: str, value: Any, told: str
):
    write_episode(phase=phase)
    folder = export(tmp_path / "data")
    change(folder, table, column, value)

    with pytest.raises(CommandError, match=told):
        call_command("import_trajectories", str(folder), "--name", "theirs")

    assert Run.objects.count() == 1


def test_files_that_are_no_parquet_are_refused(db: None, tmp_path: Path):
    (tmp_path / "trajectories").mkdir()
    (tmp_path / "trajectories" / "train.parquet").write_bytes(b"PAR1 no PAR1")

    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_trajectories", str(tmp_path))


def test_a_file_of_an_unknown_split_is_refused_whole(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    folder = export(tmp_path / "data")
    for table in ("steps", "trajectories"):
        (folder / table / "train.parquet").rename(folder / table / "dev.parquet")

    with pytest.raises(CommandError, match=r"dev\.parquet is of no known split"):
        call_command("import_trajectories", str(folder), "--name", "theirs")


def test_a_full_folder_is_not_written_to(phase: Phase, tmp_path: Path):
    write_episode(phase=phase)
    (tmp_path / "mine").touch()

    with pytest.raises(CommandError, match="no empty folder"):
        export(tmp_path)


def test_splits_keep_the_order_of_the_numbers(phase: Phase, tmp_path: Path):
    for split in ("test", "train", "test", "validation", "train"):
        write_episode(split, phase=phase)
    write_dataset(tmp_path / "data", read_for_dataset(), "data")

    found = [episode.task.split for episode in read_dataset(tmp_path / "data")]

    assert found == ["test", "train", "test", "validation", "train"]


@pytest.fixture
def researcher(db: None) -> Iterator[Client]:
    user: User = UserFactory(roles=["researcher"])
    client = Client()
    client.force_login(user)
    yield client


@pytest.mark.parametrize("kind", ["vab", "browsergym"])
def test_result_folders_of_others_can_be_replayed(
    kind: str, researcher: Client, tmp_path: Path
):
    if kind == "vab":
        write_trace(tmp_path, [CLICK, EXIT])
        write_actions(tmp_path, 1.0, ["click [3]", "exit"])
    else:
        write_experiment(tmp_path)

    call_command("import_trajectories", str(tmp_path), "--name", "theirs")

    row = Trajectory.objects.get()
    assert (row.outcome, row.step_count) == (True, 2)
    steps = [reverse("replay_step", args=[row.pk, number]) for number in (1, 2)]
    for address in (*steps, reverse("run", args=[row.phase.run_id])):
        assert researcher.get(address).status_code == 200
    assert "do not hold the prompts" in researcher.get(steps[0]).content.decode()
    assert researcher.get(reverse("phase", args=[row.phase_id])).status_code == 200


def test_the_next_phase_of_an_imported_run_is_refused(
    researcher: Client, tmp_path: Path
):
    write_trace(tmp_path, [EXIT])
    call_command("import_trajectories", str(tmp_path), "--name", "theirs")
    TaskFactory()
    run = Run.objects.get()

    page = researcher.get(reverse("run", args=[run.pk])).content.decode()
    assert "Launch phase" not in page
    researcher.post(reverse("open_phase", args=[run.pk]))

    assert run.phases.count() == 1
