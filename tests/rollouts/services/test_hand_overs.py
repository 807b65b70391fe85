"""Weights go to their server once, and a failure waits for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curriculum.errors import CheckpointError, PhasePaused, PhaseStateError
from curriculum.models import Phase
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.texts.sentences import code_of
from rollouts import services
from rollouts.models import HandOver, Trajectory
from rollouts.services import collection
from rollouts.serving.acting import find_acting
from rollouts.serving.types import Endpoint, HandOverFailed, HandOverStopped, Weights
from rollouts.tasks import collect
from rollouts.tasks import hand_over as hand_over_job
from tests import fakes
from tests.factories import PhaseFactory, QueuedTrajectoryFactory, UserFactory
from tests.object_stores import use_store

URL = "https://models.example/v1"
SERVED, TRAINED = f"{URL}#base", f"{URL}#base-2"


@pytest.fixture(autouse=True)
def automatic(settings: Any) -> None:
    settings.SERVED_POLICIES = f'{{"{URL}": {{"hand_over": "vllm_adapter"}}}}'


@pytest.fixture(autouse=True)
def weights_of_their_own(settings: Any, tmp_path: Path) -> None:
    settings.CHECKPOINTS_DIR = tmp_path / "checkpoints"
    models = Path(settings.DATA_DIR) / "models"
    settings.CHECKPOINT_ROOTS = [models, settings.CHECKPOINTS_DIR]


@pytest.fixture
def phase(db: None, settings: Any) -> Phase:
    folder = Path(settings.CHECKPOINTS_DIR, "lab", "phase-1")
    fakes.write_checkpoint(folder / "policy", 0.75)
    phase: Phase = PhaseFactory(
        status=Phase.Status.HANDING_OVER,
        served_uri=SERVED,
        next_policy_uri="lab/phase-1/policy",
    )
    return phase


class Server:
    """Takes weights, or says why not."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.given: list[tuple[str, Endpoint, Weights]] = []

    def __call__(
        self, uri: str, endpoint: Endpoint, weights: Weights, stop: Any
    ) -> str:
        self.given.append((uri, endpoint, weights))
        if self.faults:
            raise self.faults.pop(0)
        return TRAINED


def give(phase: Phase, server: Server) -> bool:
    return services.hand_over_weights(phase_id=phase.pk, owner="one", give=server)


def test_the_server_gets_what_the_phase_has_trained(phase: Phase) -> None:
    server = Server()
    assert give(phase, server)

    phase.refresh_from_db()
    row = HandOver.objects.get()
    [(uri, endpoint, weights)] = server.given
    assert (uri, endpoint.hand_over) == (SERVED, "vllm_adapter")
    assert weights.folder.endswith("lab/phase-1/policy")
    assert weights.digest == row.digest
    assert phase.next_served_uri == row.served_uri == TRAINED
    assert (row.state, row.tries) == ("done", 1)


def test_a_second_job_gives_nothing_more(phase: Phase) -> None:
    server = Server()
    assert give(phase, server)
    assert give(phase, server)
    assert len(server.given) == 1


def test_the_servers_own_folders_are_named(phase: Phase, settings: Any) -> None:
    adapter = Path(settings.CHECKPOINTS_DIR, "lab", "phase-1", "adapter")
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    recipe = '{"hand_over": "vllm_adapter", "folder": "/mnt/weights"}'
    settings.SERVED_POLICIES = f'{{"{URL}": {recipe}}}'
    server = Server()
    give(phase, server)
    weights = server.given[0][2]
    assert weights.folder == "/mnt/weights/lab/phase-1/policy"
    assert weights.adapter == "/mnt/weights/lab/phase-1/adapter"


def test_an_adapter_of_another_machine_is_fetched_for_the_server(
    phase: Phase, settings: Any, tmp_path: Path
) -> None:
    use_store(settings, {"OBJECT_STORE": str(tmp_path / "shared")})
    made = tmp_path / "trainer" / "lab" / "phase-1"
    fakes.write_checkpoint(made / "policy", 0.75)
    fakes.write_adapter(made / "adapter", 4)
    settings.CHECKPOINT_ROOTS = [tmp_path / "models", tmp_path / "trainer"]
    for kind in ("adapter", "policy"):
        assert publish_checkpoint(f"lab/phase-1/{kind}")
    settings.CHECKPOINT_ROOTS = [tmp_path / "models", tmp_path / "elsewhere"]
    settings.FETCHED_DIR = tmp_path / "fetched"
    server = Server()

    assert give(phase, server)

    weights = server.given[0][2]
    assert fakes.read_adapter(weights.adapter) == 4
    assert fakes.read_skill(weights.folder) == 0.75
    assert Path(weights.adapter).parent == (tmp_path / "fetched").resolve()


def test_a_failure_pauses_the_phase_and_a_new_try_goes_on(phase: Phase) -> None:
    server = Server(HandOverFailed("It has no room."))
    with pytest.raises(PhasePaused, match="It has no room") as told:
        give(phase, server)
    row = HandOver.objects.get()
    assert (row.state, row.reason) == ("failed", told.value.message)
    assert code_of(row.reason)["code"] == "hand_over_failed"

    assert give(phase, server)
    row.refresh_from_db()
    assert (row.state, row.tries, row.reason) == ("done", 2, "")


def test_the_job_leaves_a_paused_phase_behind(phase: Phase, settings: Any) -> None:
    settings.SERVED_POLICIES = ""
    hand_over_job(phase.pk)
    phase.refresh_from_db()
    assert (phase.status, phase.resume_status) == ("stopped", "handing_over")
    assert code_of(phase.failure_reason)["code"] == "hand_over_by_hand"


def test_a_stage_that_is_over_changes_nothing(phase: Phase) -> None:
    assert not give(phase, Server(HandOverStopped()))
    phase.refresh_from_db()
    assert (phase.status, phase.next_served_uri) == ("handing_over", "")


def pause(phase: Phase, settings: Any) -> None:
    settings.SERVED_POLICIES = ""
    hand_over_job(phase.pk)


def test_a_person_may_serve_the_weights_by_hand(phase: Phase, settings: Any) -> None:
    pause(phase, settings)
    person = UserFactory()
    services.name_served_model(phase_id=phase.pk, served_uri=TRAINED, by=person)

    phase.refresh_from_db()
    row = HandOver.objects.get()
    assert (phase.status, phase.next_served_uri) == ("handing_over", TRAINED)
    assert (row.state, row.way, row.by) == ("done", "by_hand", person)


@pytest.mark.parametrize(
    "uri", ["", "lab/phase-1/policy", URL, "http://127.0.0.1/v1#m"]
)
def test_what_is_no_served_model_is_refused(
    phase: Phase, settings: Any, uri: str
) -> None:
    pause(phase, settings)
    with pytest.raises(CheckpointError):
        services.name_served_model(phase_id=phase.pk, served_uri=uri, by=None)
    phase.refresh_from_db()
    assert phase.status == "stopped"


def test_a_moving_phase_takes_no_address(phase: Phase) -> None:
    with pytest.raises(PhaseStateError):
        services.name_served_model(phase_id=phase.pk, served_uri=TRAINED, by=None)


def test_episodes_tell_which_weights_acted(phase: Phase) -> None:
    give(phase, Server())
    phase.refresh_from_db()
    acting = find_acting(phase, "evaluating")
    assert (acting.uri, acting.weights_uri) == (TRAINED, "lab/phase-1/policy")
    assert acting.digest == HandOver.objects.get().digest

    collecting = PhaseFactory(status="collecting")
    episode = QueuedTrajectoryFactory(phase=collecting)
    services.claim_episodes(
        phase_id=collecting.pk,
        purpose="collect",
        owner="one",
        limit=1,
        lease_s=10,
        acted_by=acting.uri,
        acted_digest=acting.digest,
    )
    episode.refresh_from_db()
    assert (episode.acted_by, episode.acted_digest) == (TRAINED, acting.digest)


def test_a_server_with_the_weights_of_another_run_does_not_act(phase: Phase) -> None:
    give(phase, Server())
    other: Phase = PhaseFactory(served_uri=TRAINED, status=Phase.Status.COLLECTING)
    with pytest.raises(PhasePaused) as told:
        find_acting(other, "collecting")
    assert code_of(told.value.message)["code"] == "weights_replaced"


def test_a_server_that_gets_other_weights_meanwhile_stops_the_job(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(collection, "BILL_EVERY_S", 0.0)
    mine = PhaseFactory(served_uri=TRAINED, status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(9, phase=mine)

    def swap(request: object) -> None:
        if not HandOver.objects.exists():
            give(phase, Server())

    monkeypatch.setattr(fakes.FakeCollector, "before_episode", staticmethod(swap))
    collect(mine.pk)

    mine.refresh_from_db()
    assert code_of(mine.failure_reason)["code"] == "weights_replaced"
    assert (mine.status, mine.resume_status) == ("stopped", "collecting")
    assert Trajectory.objects.filter(phase=mine, status="queued").count() == 6


def test_a_checkpoint_of_this_machine_acts_by_itself(db: None) -> None:
    acting = find_acting(PhaseFactory(), "collecting")
    assert acting.uri == acting.weights_uri == "starter/policy"
    assert len(acting.digest) == 64
