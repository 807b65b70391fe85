"""Two whole phases with the fakes, from seed tasks to reviewed tasks."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum import services as curriculum
from curriculum.models import Phase, PhaseEvent, Run, Task
from rollouts.browser.types import EpisodeFailure, EpisodeRequest
from rollouts.models import Step, Trajectory
from rollouts.tasks import collect
from tests import fakes
from tests.factories import SMALL, TaskFactory, UserFactory
from training.models import Checkpoint, Experience, Metric, TrainingRun
from training.tasks import estimate_values, score_phase, train_phase
from webrl_site.loop.tasks import advance_phase, sweep
from webrl_site.runs.config import RunConfig

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("eager_jobs"),
]
Purpose = Trajectory.Purpose


@pytest.fixture(autouse=True)
def tasks() -> None:
    # The fakes decide by the instruction: the same ones in whatever order tests run.
    TaskFactory.reset_sequence(0)
    TaskFactory.create_batch(30)
    for number in range(10):
        TaskFactory(
            split=Task.Split.TEST,
            key=f"shop.test.{number}",
            instruction=f"Ask for return number {number}",
        )


def open_phase(
    *,
    auto_accept: bool = False,
    policy_uri: str = "starter/policy",
    **curriculum_settings: Any,
) -> Phase:
    config = SMALL.to_json()
    config["curriculum"].update(curriculum_settings)
    run = curriculum.create_run(
        name="first",
        config=RunConfig.parse(config).to_json(),
        seed=3,
        auto_accept=auto_accept,
        policy_uri=policy_uri,
    )
    return curriculum.open_phase(run_id=run.pk)


def play(phase: Phase) -> Phase:
    advance_phase(phase.pk)
    phase.refresh_from_db()
    return phase


def accept_everything(phase: Phase) -> int:
    reviewer, count = UserFactory(roles=["annotator"]), 0
    while task := curriculum.claim_review(reviewer=reviewer, phase_id=phase.pk):
        curriculum.decide_review(
            task_id=task.pk,
            token=task.lease_token,
            reviewer=reviewer,
            decision=curriculum.Decision("accept"),
        )
        count += 1
    return count


def finished(phase: Phase, purpose: str) -> Any:
    return Trajectory.objects.filter(phase=phase, purpose=purpose, status="finished")


def test_two_phases_run_from_seed_tasks_to_reviewed_tasks() -> None:
    first = play(open_phase())
    assert first.status == Phase.Status.REVIEW
    assert finished(first, Purpose.BASELINE).count() == 10
    assert finished(first, Purpose.COLLECT).count() == 12
    assert finished(first, Purpose.EVALUATE).count() == 10

    accepted = accept_everything(first)
    assert accepted > 0
    assert play(first).status == Phase.Status.CLOSED

    second = play(curriculum.open_phase(run_id=first.run_id))
    assert second.status == Phase.Status.REVIEW
    assert second.policy_uri == first.next_policy_uri
    assert finished(second, Purpose.BASELINE).count() == 0
    assert second.tasks.filter(born_in=first).count() == min(12, accepted)
    assert second.tasks.count() == 12
    replayed = Experience.objects.filter(training_run__phase=second, source="replay")
    assert replayed.exists()


def test_success_rises_because_the_policy_was_replaced() -> None:
    phase = play(open_phase())

    before = finished(phase, Purpose.BASELINE).filter(outcome=True).count()
    after = finished(phase, Purpose.EVALUATE).filter(outcome=True).count()
    assert before < after


def test_every_episode_ends_once_with_steps_without_a_gap() -> None:
    play(open_phase())

    for row in Trajectory.objects.all():
        indices = list(row.steps.values_list("index", flat=True))
        assert row.status == "finished"
        assert row.ended_by == "exit"
        assert row.leased_until is None
        assert indices == list(range(row.step_count))
        assert row.step_count >= 2


def test_only_collected_episodes_are_scored() -> None:
    phase = play(open_phase())

    assert not finished(phase, Purpose.COLLECT).filter(reward=None).exists()
    assert not finished(phase, Purpose.EVALUATE).exclude(reward=None).exists()


def test_training_leaves_its_numbers_as_rows() -> None:
    phase = play(open_phase())

    run = TrainingRun.objects.get(phase=phase)
    assert run.status == TrainingRun.Status.FINISHED
    assert run.provenance == {"device": "fake"}
    assert Metric.objects.filter(training_run=run).count() == 9
    steps = Step.objects.filter(trajectory__in=finished(phase, Purpose.COLLECT))
    assert Experience.objects.filter(training_run=run).count() == steps.count()
    kinds = Checkpoint.objects.filter(training_run=run).values_list("kind", flat=True)
    assert sorted(kinds) == ["critic", "policy"]
    assert phase.next_policy_uri == f"first-{phase.run_id}/phase-1/policy"


def test_evolved_tasks_carry_the_reason_they_were_left_out() -> None:
    phase = play(open_phase())

    born = Task.objects.filter(born_in=phase)
    failed = finished(phase, Purpose.COLLECT).filter(reward=0).values("task")
    assert born.count() == 20
    assert not born.exclude(parent__in=failed).exists()
    assert not born.filter(status=Task.Status.FILTERED, filter_reason="").exists()
    waiting = born.filter(status=Task.Status.SHORTLISTED)
    assert waiting.exists()
    assert not waiting.exclude(value_estimate__range=(0.05, 0.75)).exists()
    assert not waiting.exclude(is_feasible=True).exists()


def test_a_run_that_accepts_by_itself_says_so_and_closes() -> None:
    phase = play(open_phase(auto_accept=True))

    accepted = Task.objects.filter(born_in=phase, status=Task.Status.ACCEPTED)
    assert phase.status == Phase.Status.CLOSED
    assert accepted.exists()
    assert not accepted.filter(was_auto_accepted=False).exists()


def test_several_phases_open_one_after_another() -> None:
    phase = play(open_phase(auto_accept=True, phases_in_a_row=3))

    phases = Phase.objects.filter(run_id=phase.run_id)
    assert [row.status for row in phases] == ["closed"] * 3


def test_a_served_policy_is_measured_and_nothing_else() -> None:
    uri = "http://models.example/v1#served"

    phase = play(open_phase(policy_uri=uri, phases_in_a_row=3))

    assert phase.status == Phase.Status.CLOSED
    assert finished(phase, Purpose.BASELINE).count() == 10
    assert not finished(phase, Purpose.COLLECT).exists()
    assert phase.run.phases.count() == 1
    said = PhaseEvent.objects.filter(phase=phase, kind="message").last()
    assert said is not None and said.data["code"] == "only_measured"


def test_without_the_curriculum_the_seed_tasks_are_kept() -> None:
    phase = play(open_phase(use_curriculum=False))

    assert phase.status == Phase.Status.CLOSED
    assert not Task.objects.filter(born_in=phase).exists()


def test_jobs_that_run_again_change_nothing() -> None:
    phase = play(open_phase())
    before = snapshot(phase)

    for job in (collect, score_phase, train_phase, estimate_values, advance_phase):
        job(phase.pk)
    sweep()

    assert snapshot(phase) == before


def snapshot(phase: Phase) -> list[Any]:
    phase.refresh_from_db()
    return [
        phase.status,
        list(Trajectory.objects.values_list("pk", "status", "attempt", "reward")),
        list(Step.objects.values_list("pk", flat=True)),
        list(Task.objects.values_list("pk", "status", "value_estimate")),
        Experience.objects.count(),
        PhaseEvent.objects.filter(kind="status").count(),
    ]


def test_a_policy_is_loaded_once_for_stages_with_the_same_weights() -> None:
    loaded = fakes.ScriptedPolicy.loaded
    config = {"training_temperature": 0.0}
    data = SMALL.to_json()
    data["rollout"].update(config)
    run = curriculum.create_run(name="greedy", config=data, seed=1)

    play(curriculum.open_phase(run_id=run.pk))

    assert fakes.ScriptedPolicy.loaded - loaded == 2


def test_a_phase_without_a_generator_answer_fails_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("nobody there")

    monkeypatch.setattr(fakes.CannedGenerator, "propose", refuse)
    phase = play(open_phase())

    assert phase.status == Phase.Status.FAILED
    assert phase.resume_status == Phase.Status.EVOLVING
    assert "nobody there" in phase.failure_reason


def test_a_failed_phase_is_resumed_where_it_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(fakes, "_write_scores", lambda directory: 1 / 0)
        phase = play(open_phase())
    assert phase.resume_status == Phase.Status.TRAINING
    assert TrainingRun.objects.get(phase=phase).status == "failed"

    curriculum.resume_phase(phase_id=phase.pk, by=None)

    assert play(phase).status == Phase.Status.REVIEW
    assert TrainingRun.objects.get(phase=phase).failure_reason == ""


def test_a_phase_whose_every_episode_breaks_fails_and_can_be_resumed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(fakes.FakeCollector, "before_episode", staticmethod(break_it))
        phase = play(open_phase())
    assert phase.status == Phase.Status.FAILED
    assert "the site is down" in phase.failure_reason

    curriculum.resume_phase(phase_id=phase.pk, by=None)

    assert play(phase).status == Phase.Status.REVIEW


def break_it(request: EpisodeRequest) -> EpisodeFailure:
    return EpisodeFailure(
        request.trajectory_id, request.attempt, "site", "the site is down"
    )


def test_a_checkpoint_that_vanished_fails_the_phase_with_its_address() -> None:
    phase = open_phase()
    Phase.objects.filter(pk=phase.pk).update(policy_uri="phase-0/policy")

    phase = play(phase)

    assert phase.status == Phase.Status.FAILED
    assert "phase-0/policy" in phase.failure_reason


def test_the_same_seed_gives_the_same_tasks_and_episode_seeds() -> None:
    first = play(open_phase())
    config = Run.objects.get().config
    other = curriculum.create_run(name="again", config=config, seed=3)
    second = play(curriculum.open_phase(run_id=other.pk))

    def rows(phase: Phase) -> list[Any]:
        return list(
            finished(phase, Purpose.COLLECT)
            .order_by("task_id")
            .values_list("task_id", "seed")
        )

    assert rows(first) == rows(second)


@pytest.mark.parametrize("status", ["stopped", "closed"])
def test_advance_leaves_a_phase_that_does_not_move_alone(status: str) -> None:
    phase = open_phase()
    Phase.objects.filter(pk=phase.pk).update(status=status)

    assert advance_phase(phase.pk) == status
    assert not Trajectory.objects.exists()


def test_advance_forgives_a_phase_that_is_gone() -> None:
    assert advance_phase(12345) == ""
