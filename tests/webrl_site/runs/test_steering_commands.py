"""Launching, watching, stopping, resuming and exporting from the shell."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from curriculum.models import Phase, Run
from rollouts.models import Step, Trajectory
from tests.factories import PhaseFactory, TaskFactory, TrajectoryFactory
from tests.seed import Example
from tests.webrl_site.conftest import example  # noqa: F401 (fixture)
from webrl_site.management.phases import find_phase
from webrl_site.runs import follow

pytestmark = pytest.mark.usefixtures("example")


def call(*words: object) -> str:
    out = io.StringIO()
    call_command(*map(str, words), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_run_is_launched_from_a_preset():
    said = call("launch_run", "--preset", "demo", "--seed", 3)

    phase = Phase.objects.get(run__name="demo seed 3")
    assert phase.run.seed == 3
    assert f"./webrl watch {phase.pk}" in said


def test_a_run_is_launched_from_a_file_and_options_go_over_it(tmp_path: Path):
    file = tmp_path / "run.json"
    config = {"rollout": {"step_limit": 9}}
    file.write_text(json.dumps({"name": "from a file", "config": config, "seed": 1}))

    call("launch_run", file, "--seed", 2)

    run = Run.objects.get(name="from a file")
    assert run.seed == 2
    assert run.config["rollout"]["step_limit"] == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "one JSON object"),
        ('{"seed": -1}', "seed"),
        ('{"config": {"luck": {}}}', "luck"),
        ('{"rollout": {"step_limit": 9}}', "Unknown key 'rollout'; known are name"),
    ],
)
def test_a_wrong_file_is_explained(text: str, message: str, tmp_path: Path):
    file = tmp_path / "run.json"
    file.write_text(text)

    with pytest.raises(CommandError, match=message):
        call("launch_run", file)


def test_a_launch_needs_a_file_or_a_preset():
    with pytest.raises(CommandError, match="--preset"):
        call("launch_run")


def test_a_phase_is_stopped_and_resumed(example: Example):  # noqa: F811
    phase = example.running_phase

    call("stop_phase", phase.pk)
    phase.refresh_from_db()
    stopped = phase.status
    call("resume_phase", phase.pk)
    phase.refresh_from_db()

    assert stopped == "stopped"
    assert phase.status == "collecting"


def test_runs_are_listed_with_what_their_phases_are_called(
    example: Example,  # noqa: F811
):
    phase = example.running_phase

    said = call("list_runs")

    assert f"{phase.run.name}, run {phase.run_id}" in said
    [line] = [one for one in said.splitlines() if one.split()[0] == str(phase.pk)]
    assert line.split()[1:3] == [f"{phase.run_id}/{phase.number}", "collecting"]


def test_an_empty_workbench_says_how_to_begin():
    Run.objects.all().delete()

    assert "./webrl launch --preset demo" in call("list_runs")


@pytest.mark.parametrize("last", ["-1", "0", "x", "1" + "0" * 30])
def test_a_number_of_runs_is_at_least_one(db: None, last: str):
    with pytest.raises(CommandError, match="no number of runs"):
        call_command("list_runs", f"--last={last}")


def test_a_phase_is_found_by_its_run(example: Example):  # noqa: F811
    phase = example.running_phase

    by_number = find_phase(f"{phase.run_id}/{phase.number}")
    by_name = find_phase(f"{phase.run.name}/{phase.number}")

    assert phase == by_number == by_name == find_phase(str(phase.pk))


@pytest.mark.parametrize("word", ["x", "/1", "run/", "run/x", "-1"])
def test_what_names_no_phase_is_explained(word: str):
    with pytest.raises(CommandError, match="write its number, or RUN/NUMBER"):
        find_phase(word)


@pytest.mark.parametrize("command", ["stop_phase", "resume_phase", "watch_phase"])
def test_a_phase_that_does_not_exist_is_named(command: str):
    with pytest.raises(CommandError, match="no phase 999999"):
        call(command, 999_999)


def test_a_closed_phase_cannot_be_stopped(example: Example):  # noqa: F811
    with pytest.raises(CommandError, match="cannot be stopped"):
        call("stop_phase", example.closed_phase.pk)


def test_watching_ends_with_the_phase(example: Example):  # noqa: F811
    assert "is closed" in call("watch_phase", example.closed_phase.pk)


def test_watching_says_why_a_phase_failed(example: Example):  # noqa: F811
    with pytest.raises(CommandError, match="sandbox did not answer"):
        call("watch_phase", example.failed_phase.pk)


def test_watching_says_once_that_people_are_waited_for(
    example: Example,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    looks = iter(["review", "review", "closed"])

    def look(phase: Phase) -> tuple[float, str]:
        Phase.objects.filter(pk=phase.pk).update(status=next(looks))
        return 0.5, "Waiting for review"

    monkeypatch.setattr(follow, "POLL_S", 0.0)
    monkeypatch.setattr(follow, "_measure", look)
    said = call("watch_phase", example.review_phase.pk)

    assert said.count(f"/review/?phase={example.review_phase.pk}") == 1


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_list_becomes_a_file(ending: str, tmp_path: Path):
    file = tmp_path / f"episodes.{ending}"

    call("export_list", "trajectories", file, "purpose=collect", "outcome=yes")

    assert file.stat().st_size > 100
    assert list(tmp_path.iterdir()) == [file]


def test_steps_go_to_standard_output(capsysbinary: Any, example: Example):  # noqa: F811
    call("export_list", "steps", "-", f"phase={example.closed_phase.pk}")

    lines = capsysbinary.readouterr().out.splitlines()
    steps = Step.objects.filter(trajectory__phase=example.closed_phase)
    assert len(lines) == steps.count() > 0


def test_traces_are_asked_for_by_name(tmp_path: Path):
    file = tmp_path / "traces.jsonl"

    call("export_list", "trajectories", file, "--format", "webrl")

    ids = {json.loads(line)["trace_id"] for line in file.read_text().splitlines()}
    assert ids == set(
        Trajectory.objects.exclude(steps=None).values_list("pk", flat=True)
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tasks", "tasks.xls"], "come as jsonl, csv, parquet, webarena"),
        (["tasks", "tasks.csv", "split"], "NAME=VALUE"),
        (["tasks", "tasks.csv", "split=moon"], "split"),
        (["tasks", "no/such/folder/tasks.csv"], "cannot be written"),
    ],
)
def test_a_wrong_export_is_explained(words: list[str], message: str, tmp_path: Path):
    kind, file, *rest = words

    with pytest.raises(CommandError, match=message):
        call("export_list", kind, tmp_path / file, *rest)

    assert list(tmp_path.iterdir()) == []


def test_an_unknown_filter_is_refused_in_a_line_that_names_those_there_are(
    tmp_path: Path,
):
    with pytest.raises(CommandError) as refused:
        call("export_list", "trajectories", tmp_path / "x.csv", "bogus=1")

    said = str(refused.value)
    assert said.startswith("There is no filter bogus; trajectories have chance_below,")
    assert "ErrorDetail" not in said


def test_a_wrong_value_is_refused_in_words(tmp_path: Path):
    with pytest.raises(CommandError, match="outcome: Select a valid choice") as refused:
        call("export_list", "trajectories", tmp_path / "x.csv", "outcome=perhaps")

    assert "ErrorDetail" not in str(refused.value)


def test_the_list_of_runs_has_a_head_and_how_many_test_tasks_are_solved(
    example: Example,  # noqa: F811
):
    rows = Trajectory.objects.filter(
        phase=example.closed_phase, purpose="evaluate", outcome__isnull=False
    )
    solved = rows.filter(outcome=True).count()

    said = call("list_runs")

    assert "test tasks solved" in said.splitlines()[0]
    assert f"{solved} of {rows.count()}, " in said


def test_several_attempts_at_a_test_task_are_one_task_in_the_list_of_runs(db: None):
    judged = {"phase": PhaseFactory(), "purpose": "evaluate", "status": "finished"}
    for task, outcomes in (
        (TaskFactory(), (True, True)),
        (TaskFactory(), (True, False)),
        (TaskFactory(), (False, False)),
    ):
        for repeat, outcome in enumerate(outcomes):
            TrajectoryFactory(**judged, task=task, repeat=repeat, outcome=outcome)

    assert "1.5 of 3, 50.0 %" in call("list_runs")
