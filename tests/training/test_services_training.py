from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from curriculum.errors import CheckpointError
from curriculum.models import Phase
from curriculum.rules.stopping import STOPPING
from tests import fakes
from tests.factories import PhaseFactory
from tests.object_stores import use_store
from training import services
from training.models import Checkpoint, Experience, Metric, TrainingRun
from training.rl.launch import TrainingFailed
from training.rl.training_data import read_spec
from training.services import training
from training.services.directory import (
    MetricReader,
    name_run,
    write_directory,
)
from training.tasks import train_phase

pytestmark = pytest.mark.django_db


def train(phase: Phase) -> bool:
    return services.train_phase(phase_id=phase.pk, owner="me")


def test_a_served_policy_cannot_train(phase: Phase) -> None:
    Phase.objects.filter(pk=phase.pk).update(policy_uri="http://models.example/v1#m")

    with pytest.raises(CheckpointError, match="served elsewhere"):
        train(phase)


def test_training_hands_the_weights_on(phase: Phase) -> None:
    assert train(phase)

    phase.refresh_from_db()
    assert phase.next_policy_uri == f"{name_run(phase.run)}/phase-2/policy"
    run = TrainingRun.objects.get()
    assert run.status == TrainingRun.Status.FINISHED
    assert Checkpoint.objects.count() == 2
    assert Metric.objects.count() == 9
    assert Experience.objects.filter(source="fresh").count() == 6
    assert Experience.objects.filter(source="replay").count() == 2


def test_training_twice_trains_once(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(phase)
    monkeypatch.setattr(fakes, "train_phase", lambda *a, **k: pytest.fail("again"))

    assert train(phase)
    assert TrainingRun.objects.count() == 1


def replace_trainer(
    monkeypatch: pytest.MonkeyPatch, trainer: Callable[..., None]
) -> None:
    monkeypatch.setattr(fakes, "train_phase", trainer)


def test_the_next_training_finds_the_adapter_on_another_machine(
    phase: Phase, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_store(settings, {"OBJECT_STORE": str(tmp_path / "shared")})
    train_weights = fakes.train_phase

    def leave_adapter(directory: Path, **options: Any) -> Any:
        fakes.write_adapter(directory / "adapter", 4)
        return train_weights(directory, **options)

    replace_trainer(monkeypatch, leave_adapter)
    assert train(phase)
    phase.refresh_from_db()
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.CLOSED)
    following = PhaseFactory(
        run=phase.run,
        number=3,
        policy_uri=phase.next_policy_uri,
        served_uri="http://models.example/v1#m",
    )
    settings.CHECKPOINTS_DIR = tmp_path / "elsewhere"
    settings.CHECKPOINT_ROOTS = [settings.CHECKPOINT_ROOTS[0], tmp_path / "elsewhere"]
    settings.FETCHED_DIR = tmp_path / "fetched"

    directory = write_directory(following)

    spec = json.loads((directory / "spec.json").read_text())
    assert fakes.read_adapter(directory / spec["adapter_before"]) == 4
    assert read_spec(directory).adapter_before is not None


def test_a_failed_training_keeps_its_reason(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(directory: Path, **_: Any) -> None:
        raise RuntimeError("out of memory")

    replace_trainer(monkeypatch, fail)
    train_phase(phase.pk)

    phase.refresh_from_db()
    assert phase.status == Phase.Status.FAILED
    assert "out of memory" in phase.failure_reason
    assert TrainingRun.objects.get().failure_reason == "out of memory"


def test_a_training_that_is_stopped_waits_for_the_next_worker(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(directory: Path, *, should_stop: Callable[[], bool], **_: Any) -> None:
        STOPPING.set()
        assert should_stop()
        raise RuntimeError("stopped")

    replace_trainer(monkeypatch, stop)
    try:
        assert not train(phase)
    finally:
        STOPPING.clear()

    phase.refresh_from_db()
    assert phase.status == Phase.Status.TRAINING
    assert phase.work_token == ""
    assert TrainingRun.objects.get().status == TrainingRun.Status.QUEUED


def test_weights_that_are_not_what_training_wrote_are_refused(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = fakes.train_phase

    def forge(directory: Path, **arguments: Any) -> None:
        original(directory, **arguments)
        (directory / "result.json").write_text(json.dumps({"policy_digest": "0" * 64}))

    replace_trainer(monkeypatch, forge)

    with pytest.raises(CheckpointError, match="not what training wrote"):
        train(phase)
    phase.refresh_from_db()
    assert phase.next_policy_uri == ""
    assert not Checkpoint.objects.exists()


def test_a_registered_checkpoint_that_changed_is_refused(tmp_path: Path) -> None:
    services.register_checkpoint(uri="starter/policy", kind="policy")
    path = Path(settings.DATA_DIR) / "models/starter/policy"
    try:
        fakes.write_checkpoint(path, 0.9)
        with pytest.raises(CheckpointError, match="has changed"):
            services.verify_checkpoint(uri="starter/policy")
        with pytest.raises(CheckpointError, match="has changed"):
            services.register_checkpoint(uri="starter/policy", kind="policy")
    finally:
        fakes.write_checkpoint(path, 0.2)


def test_half_a_line_of_metrics_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    reader = MetricReader(tmp_path)
    assert reader.read() == []
    path.write_text('{"name": "a", "step": 1, "value": 2}\n{"name"')
    assert len(reader.read()) == 1
    with path.open("a") as file:
        file.write(': "b", "step": 1, "value": 2}\n')

    assert [line["name"] for line in reader.read()] == ["b"]
    assert reader.read() == []


def test_a_number_that_is_none_is_left_out(phase: Phase) -> None:
    run = services.start_run(phase=phase, directory=Path("x"))
    lines = [
        {"name": "a", "step": step, "value": value}
        for step, value in enumerate([1.0, float("nan"), float("inf")])
    ]

    assert services.record_metrics(run=run, lines=lines) == 1
    assert services.record_metrics(run=run, lines=lines) == 1
    assert Metric.objects.count() == 1


def test_with_other_settings_training_begins_anew(phase: Phase) -> None:
    directory = write_directory(phase)
    (directory / "critic.done").touch()
    run = services.start_run(phase=phase, directory=directory)
    services.record_metrics(run=run, lines=[{"name": "a", "step": 1, "value": 1.0}])
    TrainingRun.objects.update(progress={"stage": "policy", "done": 1, "total": 2})
    phase.run.config["algorithm"]["beta"] = 0.7

    write_directory(phase)
    anew = services.start_run(phase=phase, directory=directory)

    assert not (directory / "critic.done").exists()
    assert Metric.objects.count() == 0
    assert anew.progress == {}


def test_progress_that_is_the_same_is_told_once(
    phase: Phase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "REPORT_EVERY_S", 0.0)
    run = services.start_run(phase=phase, directory=tmp_path)
    reporter = training.Reporter(run, tmp_path)
    for done in (1, 1, 1, 2):
        reporter.report({"stage": "policy", "done": done, "total": 9})

    told = phase.events.filter(kind="progress").order_by("pk")
    assert [event.data["done"] for event in told] == [1, 2]


def test_half_a_line_of_metrics_is_skipped_and_counted(phase: Phase) -> None:
    directory = write_directory(phase)
    whole = {"name": "train/kl", "step": 1, "value": 0.5}
    lines = ['{"name": "train/k', json.dumps(whole), "[]", '{"name": "x"}']
    (directory / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    reader = MetricReader(directory)

    assert reader.read() == [whole]
    assert reader.skipped == 3


def test_a_reason_keeps_its_end(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise TrainingFailed("x" * 5000 + "No space left on device")

    monkeypatch.setattr(fakes, "train_phase", fail)

    with pytest.raises(TrainingFailed):
        train(phase)
    reason = TrainingRun.objects.get(phase=phase).failure_reason
    assert reason.endswith("No space left on device")


def test_a_killed_training_is_told_in_the_phase_s_history(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = fakes.train_phase

    def die_once(directory: Path, **options: Any) -> None:
        reason = "The training was killed by signal 9 (SIGKILL)."
        options["on_progress"]({"kills": 1, "max_kills": 3, "reason": reason})
        original(directory, **options)

    monkeypatch.setattr(fakes, "train_phase", die_once)

    assert train(phase)
    texts = [event.data.get("text", "") for event in phase.events.all()]
    assert any("killed by signal 9" in text for text in texts)
