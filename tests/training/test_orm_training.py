from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Task
from curriculum.services import open_phase, set_next_orm, stop_phase
from rollouts.models import HumanVerdict, Trajectory
from tests.factories import (
    PhaseFactory,
    RunFactory,
    StepFactory,
    TaskFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.fakes import train_orm
from training import services
from training.models import OrmExample, OrmTraining
from training.rl.orm.config import OrmConfig
from training.selectors.orm_rows import choose_examples, has_news, is_held_out
from training.services.directory import name_run

pytestmark = pytest.mark.django_db
CONFIG = OrmConfig(learn_from_people=True, least_verdicts=4, held_out=0.3)
BASE = "starter/orm"


@pytest.fixture
def phase(tmp_path: Path, settings: Any) -> Phase:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    run = RunFactory()
    config = {"learn_from_people": True, "least_verdicts": 4, "held_out": 0.3}
    run.config = {**run.config, "orm": config}
    run.save(update_fields=["config"])
    return PhaseFactory(run=run, status=Phase.Status.TRAINING)


def play(phase: Phase, chance: float, **task: Any) -> Trajectory:
    row = TrajectoryFactory(
        phase=phase,
        task=TaskFactory(**task),
        success_probability=chance,
        reward=float(chance > 0.5),
        attempt=1,
        step_count=1,
    )
    StepFactory(trajectory=row, attempt=1, index=0, output="exit()")
    return row


def keys(*, held_out: bool) -> Iterator[str]:
    """Yield keys of tasks that only measure, or of others."""
    for number in range(10_000):
        key = f"orm.{number}"
        if is_held_out(key, CONFIG.held_out) == held_out:
            yield key


def judge(phase: Phase, count: int = 4, *, held_out: bool = False) -> list[Trajectory]:
    """Let somebody call every second episode a success."""
    who, names = UserFactory(roles=["annotator"]), keys(held_out=held_out)
    rows = [play(phase, 0.9, key=next(names)) for _ in range(count)]
    for number, row in enumerate(rows):
        verdict = ("success", "failure")[number % 2]
        HumanVerdict.objects.create(trajectory=row, author=who, verdict=verdict)
    return rows


def train(name: str = "people", **options: Any) -> OrmTraining:
    given: dict[str, Any] = {"base_uri": BASE, "orm": CONFIG, "algorithm": {}} | options
    return services.train_reward_model(name=name, **given)


def test_it_is_kept_with_its_lineage(phase: Phase):
    learnt, measured = judge(phase), judge(phase, 2, held_out=True)

    made = train()

    assert made.status == "finished"
    assert made.checkpoint is not None and made.checkpoint.parent is not None
    assert (made.checkpoint.uri, made.checkpoint.parent.uri) == (
        "orm-people/orm",
        BASE,
    )
    said = {row.trajectory_id: row for row in made.examples.all()}
    assert set(said) == {row.pk for row in (*learnt, *measured)}
    assert all(row.verdicts.count() == 1 for row in said.values())
    assert made.accuracy[""]["n"] == 2
    assert [said[row.pk].after for row in measured] == [1.0, 0.0]


def test_the_files_hold_what_the_model_reads(phase: Phase, tmp_path: Path):
    rows = judge(phase)
    train()

    lines = (tmp_path / "orm-people" / "verdicts.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    assert (first["trajectory_id"], first["actions"]) == (rows[0].pk, ["exit()"])
    assert first["is_success"] is True


@pytest.mark.parametrize(
    "kind", [{"split": Task.Split.TEST}, {"status": Task.Status.FILTERED}]
)
def test_episodes_of_test_tasks_and_their_like_teach_nothing(phase: Phase, kind: Any):
    row, _ = play(phase, 0.9), play(phase, 0.95)
    Trajectory.objects.update(outcome=True)
    Task.objects.update(**kind)
    who = UserFactory(roles=["annotator"])
    HumanVerdict.objects.create(trajectory=row, author=who, verdict="failure")

    config = dataclasses.replace(CONFIG, learn_from_evaluators=True, rehearsal=1.0)
    assert choose_examples(BASE, config) == []


def test_its_own_sure_verdicts_rehearse(phase: Phase):
    judge(phase, 2)
    config = OrmConfig(least_verdicts=2, rehearsal=1.0, held_out=0)
    sure = [play(phase, chance) for chance in (0.95, 0.05, 0.5)]

    own = [one for one in choose_examples(BASE, config) if one.source == "own"]

    # The unsure one is left out, and there are no more than people's two.
    assert [(one.trajectory_id, one.is_success) for one in own] == [
        (sure[1].pk, False),
        (sure[0].pk, True),
    ]


def test_a_task_is_held_out_for_ever():
    assert [is_held_out("shop.1", 0.5) for _ in range(3)] == [
        is_held_out("shop.1", 0.5)
    ] * 3
    assert not any(is_held_out(f"shop.{n}", 0.0) for n in range(50))
    assert 300 < sum(is_held_out(f"shop.{n}", 0.4) for n in range(1000)) < 500


def test_too_few_verdicts_are_counted(phase: Phase):
    judge(phase, 2)

    with pytest.raises(services.TooFewVerdicts, match="2 judged episodes to learn"):
        train()
    assert not OrmTraining.objects.exists()


def test_one_word_alone_is_not_enough(phase: Phase):
    for row in judge(phase, 8)[::2]:
        row.human_verdicts.all().delete()

    config = OrmConfig(least_verdicts=4, rehearsal=0, held_out=0.3)
    with pytest.raises(services.TooFewVerdicts, match="both"):
        train(orm=config)


def test_asked_again_it_is_the_same(phase: Phase):
    judge(phase)
    first = train()

    assert train() == first
    assert OrmExample.objects.count() == 4


def test_a_name_means_one_reward_model(phase: Phase):
    judge(phase)
    train()

    with pytest.raises(WorkbenchError, match="another name"):
        train(base_uri="starter/critic")


def test_a_failed_training_says_why_and_goes_on(phase: Phase, settings: Any):
    judge(phase)
    settings.ORM_TRAINER = "tests.training.test_orm_training.fail"
    with pytest.raises(RuntimeError):
        train()
    assert OrmTraining.objects.get().failure_reason == "out of memory"
    settings.ORM_TRAINER = "tests.fakes.train_orm"

    made = train()

    assert (made.status, made.failure_reason) == ("finished", "")


def fail(*args: Any, **options: Any) -> None:
    raise RuntimeError("out of memory")


def test_only_what_was_said_since_is_news(phase: Phase):
    rows = judge(phase)
    made = train()
    assert made.checkpoint is not None
    uri = made.checkpoint.uri
    assert not has_news(uri, choose_examples(uri, CONFIG))

    HumanVerdict.objects.create(
        trajectory=rows[0], author=UserFactory(roles=["annotator"]), verdict="failure"
    )
    rows[0].human_verdicts.filter(verdict="success").delete()
    assert has_news(uri, choose_examples(uri, CONFIG))


def test_a_phase_trains_the_next_ones_reward_model(phase: Phase):
    judge(phase)

    assert services.train_phase(phase_id=phase.pk, owner="me")

    phase.refresh_from_db()
    assert phase.next_orm_uri == f"orm-{name_run(phase.run)}-phase-{phase.number}/orm"
    assert OrmTraining.objects.get().phase == phase
    texts = [event.data.get("text", "") for event in phase.events.all()]
    assert any("learnt from people" in text for text in texts)


def stop_when_done(folder: Path, **options: Any) -> None:
    """Train, and let somebody stop the phase at the same moment."""
    train_orm(folder, **options)
    stop_phase(phase_id=OrmTraining.objects.get().phase_id or 0, by=None)


def edit(phase: Phase, **algorithm: Any) -> None:
    """Edit settings of the algorithm of a stopped phase, and resume it."""
    config = phase.run.config
    phase.run.config = {**config, "algorithm": config["algorithm"] | algorithm}
    phase.run.save(update_fields=["config"])
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.TRAINING)


def test_a_stop_as_the_reward_model_is_done_keeps_it(phase: Phase, settings: Any):
    judge(phase)
    settings.ORM_TRAINER = "tests.training.test_orm_training.stop_when_done"

    assert not services.train_phase(phase_id=phase.pk, owner="me")

    phase.refresh_from_db()
    assert phase.status == "stopped"
    made = OrmTraining.objects.get().checkpoint
    assert made is not None and phase.next_orm_uri == made.uri


@pytest.mark.parametrize("is_chosen", [True, False])
@pytest.mark.parametrize(
    ("algorithm", "names"),
    [
        ({"beta": 0.5}, [""]),
        ({"batch_size": 64}, ["", "-2"]),
    ],
)
def test_an_edit_trains_the_reward_model_again_only_if_it_affects_it(
    phase: Phase,
    settings: Any,
    is_chosen: bool,
    algorithm: dict[str, Any],
    names: list[str],
):
    judge(phase)
    settings.ORM_TRAINER = "tests.training.test_orm_training.stop_when_done"
    assert not services.train_phase(phase_id=phase.pk, owner="me")
    settings.ORM_TRAINER = "tests.fakes.train_orm"
    if not is_chosen:  # a kill came before the choice
        Phase.objects.filter(pk=phase.pk).update(next_orm_uri="")
    edit(phase, **algorithm)

    assert services.train_phase(phase_id=phase.pk, owner="me")

    phase.refresh_from_db()
    name = f"{name_run(phase.run)}-phase-{phase.number}"
    assert [row.name for row in OrmTraining.objects.all()] == [name + n for n in names]
    assert phase.next_orm_uri == f"orm-{name}{names[-1]}/orm"


def test_a_choice_made_since_the_stop_stays(phase: Phase, settings: Any):
    judge(phase)
    settings.ORM_TRAINER = "tests.training.test_orm_training.choose_when_done"

    assert not services.train_phase(phase_id=phase.pk, owner="me")

    phase.refresh_from_db()
    assert phase.next_orm_uri == BASE


def choose_when_done(folder: Path, **options: Any) -> None:
    stop_when_done(folder, **options)
    set_next_orm(phase_id=OrmTraining.objects.get().phase_id or 0, uri=BASE)


def test_a_phase_goes_on_without_enough_verdicts(phase: Phase):
    play(phase, 0.9)

    assert services.train_phase(phase_id=phase.pk, owner="me")

    phase.refresh_from_db()
    assert phase.next_policy_uri and not phase.next_orm_uri
    texts = [event.data.get("text", "") for event in phase.events.all()]
    assert any("The reward model is unchanged" in text for text in texts)


def test_the_next_phase_is_judged_by_it(phase: Phase):
    judge(phase)
    train()
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.CLOSED)

    call_command("use_orm", "people", str(phase.pk))

    following = open_phase(run_id=phase.run_id)
    assert following.orm_uri == "orm-people/orm"
    with pytest.raises(CommandError, match="later phase"):
        call_command("use_orm", BASE, str(phase.pk))


def test_the_command_tells_both_accuracies(phase: Phase, capsys: Any):
    judge(phase)
    judge(phase, 2, held_out=True)

    call_command("train_orm", "people", run=phase.run_id)

    said = capsys.readouterr().out
    assert "all sites: 50% -> 100% of 2 held-out episodes" in said
    assert "orm-people/orm is ready" in said


@pytest.mark.parametrize("name", ["../x", "phase-1", "a b", ""])
def test_a_name_is_one_folders(phase: Phase, name: str):
    with pytest.raises(CommandError):
        call_command("train_orm", name, run=phase.run_id)


def test_evaluators_teach_what_people_have_not_judged(phase: Phase):
    """A person's word on the same episode stands above the evaluators'."""
    names = keys(held_out=False)
    rows = [play(phase, 0.9, key=next(names)) for _ in range(4)]
    for number, row in enumerate(rows):
        Trajectory.objects.filter(pk=row.pk).update(outcome=number % 2 == 0)
    who = UserFactory(roles=["annotator"])
    HumanVerdict.objects.create(trajectory=rows[0], author=who, verdict="failure")

    config = OrmConfig(learn_from_evaluators=True, least_verdicts=4, rehearsal=0)
    chosen = {one.trajectory_id: one for one in choose_examples(BASE, config)}

    assert {one.source for one in chosen.values()} == {"people", "checks"}
    assert [chosen[row.pk].is_success for row in rows] == [False, False, True, False]
