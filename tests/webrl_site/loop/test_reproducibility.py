from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.factories import PhaseFactory, TaskFactory
from webrl_site.loop.reproducibility import (
    describe_code,
    describe_surroundings,
    describe_tasks,
    digest_weights,
    list_records,
    record_phase,
)
from webrl_site.models import PhaseRecord


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "First")
    return tmp_path


def test_a_clean_checkout_is_its_commit(checkout: Path):
    code = describe_code(checkout)

    assert len(code["commit"]) == 40
    assert (code["is_dirty"], code["diff_sha256"]) == (False, None)


def test_a_changed_checkout_says_so_with_a_digest(checkout: Path):
    (checkout / "a.py").write_text("a = 2\n")

    code = describe_code(checkout)

    assert code["is_dirty"]
    assert len(code["diff_sha256"]) == 64


def test_without_a_checkout_the_commit_is_unknown(tmp_path: Path):
    assert describe_code(tmp_path / "nowhere")["commit"] is None


@pytest.mark.django_db
def test_weights_that_are_gone_have_no_digest():
    assert digest_weights("no/such") is None
    assert len(digest_weights("starter/policy") or "") == 64


@pytest.mark.django_db
def test_other_tasks_give_another_digest():
    phase = PhaseFactory()
    phase.tasks.add(TaskFactory())
    before = describe_tasks(phase)
    phase.tasks.add(TaskFactory())

    after = describe_tasks(phase)

    assert (before["attempted"], after["attempted"]) == (1, 2)
    assert before["attempted_sha256"] != after["attempted_sha256"]


@pytest.mark.django_db
def test_everything_that_decides_is_written_down():
    data = describe_surroundings(PhaseFactory())

    assert {"code", "locks", "browser", "seeds", "weights", "sites"} <= set(data)
    assert data["locks"]["requirements.lock"]


@pytest.mark.django_db
def test_a_record_is_made_once_per_moment_and_never_changed():
    phase = PhaseFactory()
    record_phase(phase=phase, stage="baseline")
    PhaseRecord.objects.update(data={"kept": True})

    record_phase(phase=phase, stage="collecting")
    record_phase(phase=phase, stage="training")

    first, second = list_records(phase.pk)
    assert (first.moment, first.data) == ("opened", {"kept": True})
    assert second.moment == "training"


@pytest.mark.django_db
def test_other_stages_leave_no_record():
    phase = PhaseFactory()

    record_phase(phase=phase, stage="scoring")

    assert list_records(phase.pk) == []


@pytest.mark.django_db
def test_training_that_begins_anew_has_a_record_of_its_own():
    phase = PhaseFactory()
    for stage in ("collecting", "training"):
        record_phase(phase=phase, stage=stage)
    phase.run.config["algorithm"]["beta"] = 0.5
    record_phase(phase=phase, stage="training")
    record_phase(phase=phase, stage="training", anew=True)
    betas = [row.data["config"]["algorithm"]["beta"] for row in list_records(phase.pk)]
    assert betas[1:] == [0.5] != betas[:1]
