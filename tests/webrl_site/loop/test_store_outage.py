"""An object store that does not answer delays a phase and fails nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, PhaseEvent, Task
from curriculum.object_store import watch
from curriculum.object_store.store import StoreDown
from curriculum.object_store.watch import StoreWatch
from tests import fakes
from tests.factories import PhaseFactory, TaskFactory, review_phase
from tests.object_stores import use_store
from webrl_site.loop import phase_loop
from webrl_site.loop.tasks import sweep
from webrl_site.models import PhaseRecord

pytestmark = pytest.mark.django_db(transaction=True)
TRAINED = "outage-1/phase-1/policy"


def refuse() -> None:
    raise StoreDown("No bucket of that name.")


@pytest.fixture(autouse=True)
def trained(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks and trained weights; a watch that has not noticed an outage yet."""
    fakes.write_checkpoint(Path(settings.CHECKPOINTS_DIR) / TRAINED, 0.5)
    TaskFactory(split=Task.Split.TEST)
    TaskFactory()
    monkeypatch.setattr(watch, "WATCH", StoreWatch(lambda: None))


@pytest.fixture
def broken(settings: Any, tmp_path: Path) -> Path:
    """A file where the store's folder should be: each request fails until it goes."""
    place = tmp_path / "shared"
    place.write_text("")
    use_store(settings, {"OBJECT_STORE": str(place)})
    return place


@pytest.fixture
def training() -> Phase:
    phase: Phase = PhaseFactory(status="training", next_policy_uri=TRAINED)
    return phase


def read_status(phase: Phase) -> str:
    return str(Phase.objects.get(pk=phase.pk).status)


def test_a_phase_waits_for_the_store_and_goes_on_by_itself(
    broken: Path, training: Phase
) -> None:
    sweep()
    assert read_status(training) == "training"
    broken.unlink()
    sweep()

    assert read_status(training) == "evaluating"


def test_an_outage_is_met_once_per_look(
    broken: Path, training: Phase, caplog: pytest.LogCaptureFixture
) -> None:
    assert phase_loop.advance(training.pk) == "training"

    told = [one.getMessage() for one in caplog.records if "waits" in one.getMessage()]
    assert len(told) == 1
    assert "object store does not answer" in told[0]


def test_a_store_known_to_be_down_is_not_asked(
    broken: Path,
    training: Phase,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(watch, "WATCH", StoreWatch(refuse))

    assert phase_loop.advance(training.pk) == "training"
    assert "waits" not in caplog.text


def test_the_phases_page_tells_of_the_outage_while_it_lasts(
    broken: Path,
    training: Phase,
    researcher: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = "The object store does not answer. The phase continues once it does."
    monkeypatch.setattr(watch, "WATCH", StoreWatch(refuse))
    assert told in researcher.get(f"/phases/{training.pk}/").content.decode()
    monkeypatch.setattr(watch, "WATCH", StoreWatch(lambda: None))

    assert told not in researcher.get(f"/phases/{training.pk}/").content.decode()


def test_a_run_of_several_phases_survives_an_outage_at_a_closing(broken: Path) -> None:
    phase = review_phase()
    phase.run.config["curriculum"]["phases_in_a_row"] = 2
    phase.run.save()
    Phase.objects.filter(pk=phase.pk).update(next_policy_uri=TRAINED)

    sweep()
    assert read_status(phase) == "review"
    assert not PhaseEvent.objects.filter(phase=phase, kind="message").exists()
    broken.unlink()
    sweep()

    assert read_status(phase) == "closed"
    assert phase.run.phases.filter(number=2).exists()


def test_a_phase_is_recorded_only_once_the_store_tells_its_weights(
    broken: Path,
) -> None:
    phase = PhaseFactory(policy_uri=TRAINED)
    sweep()
    assert not PhaseRecord.objects.exists()
    broken.unlink()
    sweep()

    record = PhaseRecord.objects.get(phase=phase)
    assert len(record.data["weights"][TRAINED]) == 64


def test_training_does_not_begin_anew_while_its_weights_cannot_be_recorded(
    broken: Path, training: Phase, researcher: Client
) -> None:
    Phase.objects.filter(pk=training.pk).update(
        status="failed",
        resume_status="training",
        critic_uri=TRAINED,
        next_policy_uri="",
    )
    url = f"/phases/{training.pk}/edit/"
    shown = researcher.get(url).context
    form = shown["form"]
    values = {name: form[name].value() for name in form.fields}
    sent = {k: "on" if v is True else v for k, v in values.items() if v is not False}
    sent |= {"based_on": shown["based_on"], "algorithm.beta": "0.7", "resume": "yes"}

    page = researcher.post(url, sent, follow=True)

    assert "object store does not answer" in page.content.decode()
    assert read_status(training) == "failed"
    training.run.refresh_from_db()
    assert training.run.config["algorithm"]["beta"] != 0.7
