"""A whole phase of a policy that a server acts with and that is trained here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from curriculum import services as curriculum
from curriculum.errors import CheckpointError
from curriculum.models import Phase, PhaseEvent, Task
from curriculum.texts.sentences import code_of
from rollouts import services as rollouts
from rollouts.models import HandOver, Trajectory
from tests.factories import SMALL, TaskFactory
from tests.served_model import ServedModel, serving
from webrl_site.loop.tasks import advance_phase

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("eager_jobs"),
]


@pytest.fixture(autouse=True)
def tasks() -> None:
    TaskFactory.reset_sequence(0)
    TaskFactory.create_batch(12)
    TaskFactory(split=Task.Split.TEST, key="shop.test.1", instruction="Ask for help")


@pytest.fixture
def model() -> ServedModel:
    return ServedModel("base")


@pytest.fixture
def url(model: ServedModel, settings: Any) -> Iterator[str]:
    with serving(model) as address:
        recipe = '{"hand_over": "sglang_weights", "api": "sglang"}'
        settings.SERVED_POLICIES = f'{{"{address}": {recipe}}}'
        yield address


def open_phase(served_uri: str, **changes: Any) -> Phase:
    run = curriculum.create_run(
        name="lab", config=SMALL.to_json(), seed=3, served_uri=served_uri, **changes
    )
    return curriculum.open_phase(run_id=run.pk)


def play(phase: Phase) -> Phase:
    advance_phase(phase.pk)
    phase.refresh_from_db()
    return phase


def list_stages(phase: Phase) -> list[str]:
    events = PhaseEvent.objects.filter(phase=phase, kind="status").order_by("pk")
    return [event.data["status"] for event in events]


def list_acted(phase: Phase, purpose: str) -> set[tuple[str, str]]:
    rows = Trajectory.objects.filter(phase=phase, purpose=purpose)
    return set(rows.values_list("acted_by", "acted_digest"))


def test_new_weights_are_handed_over_before_they_are_measured(
    model: ServedModel, url: str
) -> None:
    phase = play(open_phase(f"{url}#base"))

    assert phase.status == Phase.Status.REVIEW
    stages = list_stages(phase)
    at = stages.index("handing_over")
    assert stages[at - 1 : at + 2] == ["training", "handing_over", "evaluating"]
    [(path, body)] = model.asked
    assert path == "/update_weights_from_disk"
    assert body["model_path"].endswith("phase-1/policy")


def test_every_episode_tells_which_weights_acted(url: str) -> None:
    phase = play(open_phase(f"{url}#base"))

    [(before, first)] = list_acted(phase, "collect")
    [(after, second)] = list_acted(phase, "evaluate")
    assert before == after == f"{url}#base"
    assert second == HandOver.objects.get().digest
    assert len(first) == 64
    assert first != second


def test_the_next_phase_acts_where_the_last_one_handed_over(url: str) -> None:
    first = play(open_phase(f"{url}#base", auto_accept=True))
    assert first.status == Phase.Status.CLOSED

    second = curriculum.open_phase(run_id=first.run_id)
    assert second.served_uri == first.next_served_uri == f"{url}#base"
    assert second.policy_uri == first.next_policy_uri


def test_a_refused_hand_over_waits_for_a_person(model: ServedModel, url: str) -> None:
    model.answers["/update_weights_from_disk"] = (400, {"success": False})
    phase = play(open_phase(f"{url}#base"))
    assert (phase.status, phase.resume_status) == ("stopped", "handing_over")
    assert code_of(phase.failure_reason)["code"] == "hand_over_failed"

    model.answers.clear()
    curriculum.resume_phase(phase_id=phase.pk, by=None)
    assert play(phase).status == Phase.Status.REVIEW


def test_weights_served_by_hand_go_on_at_the_new_address(settings: Any) -> None:
    phase = play(open_phase("https://models.example/v1#base"))
    assert code_of(phase.failure_reason)["code"] == "hand_over_by_hand"

    other = "https://models.example/v1#base-2"
    rollouts.name_served_model(phase_id=phase.pk, served_uri=other, by=None)
    assert play(phase).status == Phase.Status.REVIEW
    assert {uri for uri, _ in list_acted(phase, "evaluate")} == {other}


@pytest.mark.parametrize(
    ("served_uri", "changes"),
    [
        ("https://models.example/v1", {}),
        ("starter/policy", {}),
        ("http://10.0.0.1/v1#m", {}),
        ("https://models.example/v1#m", {"policy_uri": "https://models.example/v1#m"}),
    ],
)
def test_what_cannot_be_trained_is_refused_at_the_launch(
    served_uri: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(CheckpointError):
        open_phase(served_uri, **changes)


def test_tool_calls_are_refused_at_the_launch() -> None:
    config = SMALL.to_json()
    config["rollout"]["action_dialect"] = "tools"
    with pytest.raises(CheckpointError, match="Tool calls cannot be trained"):
        curriculum.create_run(
            name="x", config=config, seed=1, served_uri="https://models.example/v1#m"
        )
