"""Further training of a reward model: rows to files, subprocess, files to rows."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Phase
from curriculum.rules.checkpoints import resolve_checkpoint
from training.models import Checkpoint, OrmExample, OrmTraining
from training.rl.orm.config import ALGORITHM_READ, OrmConfig
from training.rl.orm.data import ROWS, WEIGHTS, JudgedEpisode
from training.rl.training_data import SPEC, name_weights
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm
from training.selectors.loop import read_episodes
from training.selectors.orm_rows import (
    TAUGHT,
    Chosen,
    choose_examples,
    map_verdicts,
)
from training.services.directory import read_result
from training.services.named_training import (
    carry_out,
    check_base,
    fill_folder,
    find_training,
    register_trained,
)

Status = OrmTraining.Status


class TooFewVerdicts(WorkbenchError):
    """People have not judged enough to learn from."""


def train_reward_model(
    *,
    name: str,
    base_uri: str,
    orm: OrmConfig,
    algorithm: dict[str, Any],
    seed: int = 0,
    run_id: int | None = None,
    phase: Phase | None = None,
    on_progress: Callable[[dict[str, Any]], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> OrmTraining:
    """Train `orm-NAME/orm` from the base on people's verdicts; blocks until it is done.

    Called again after a kill, it resumes with the same episodes. `run_id` leaves out
    verdicts on other runs' episodes. Nobody chooses the name of a phase's training: if
    it is taken, a number is added.

    Raises:
        TooFewVerdicts: The message has their number, and the number required.
        WorkbenchError: The name is taken, or the base cannot be trained.
    """
    config = make_config(orm, algorithm)
    if phase is not None:
        name, done = _number_name(name, base_uri, config)
        if done is not None:
            return done
    row = find_training(OrmTraining, name, base_uri, config)
    if row is not None and row.status == Status.FINISHED:
        return row
    if row is None or not (_folder(row) / SPEC).exists():
        row = _begin(name, base_uri, config, seed, phase, orm, run_id)
    return carry_out(
        row,
        _folder(row),
        trainer=settings.ORM_TRAINER,
        weights=_name_weights(row),
        finish=_finish,
        on_progress=on_progress,
        should_stop=should_stop,
    )


def make_config(orm: OrmConfig, algorithm: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a training as its row stores them."""
    return {"orm": dataclasses.asdict(orm), "algorithm": algorithm}


def _number_name(
    name: str, base_uri: str, config: dict[str, Any]
) -> tuple[str, OrmTraining | None]:
    """Return the name of a phase's training, and its row if that is done.

    Its settings may be edited after it is done. The weights stay where they are, as
    others may use them by now: with settings that affect it, it gets another name.
    """
    finished = OrmTraining.objects.filter(status=Status.FINISHED)
    numbered, number = name, 1
    while (row := finished.filter(name=numbered).first()) is not None:
        if is_trained_like(row, base_uri, config):
            break
        number += 1
        numbered = f"{name}-{number}"
    return numbered, row


def is_trained_like(row: OrmTraining, base_uri: str, config: dict[str, Any]) -> bool:
    """Say whether a training with this base and these settings has the same result.

    `config` is as in `OrmTraining`.
    """
    return (row.base_uri, _read_used(row.config)) == (base_uri, _read_used(config))


def _read_used(config: dict[str, Any]) -> tuple[OrmConfig, list[Any]]:
    """Return the settings that affect the training; of the algorithm only some do."""
    algorithm = WebRLConfig(**upgrade_algorithm(config["algorithm"]))
    return OrmConfig(**config["orm"]), [getattr(algorithm, n) for n in ALGORITHM_READ]


def _folder(row: OrmTraining) -> Path:
    return Path(settings.CHECKPOINTS_DIR) / f"orm-{row.name}"


def _name_weights(row: OrmTraining) -> str:
    return f"orm-{row.name}/{WEIGHTS}"


def _begin(
    name: str,
    base_uri: str,
    config: dict[str, Any],
    seed: int,
    phase: Phase | None,
    orm: OrmConfig,
    run_id: int | None,
) -> OrmTraining:
    """Freeze the episodes as rows and as files; the specification comes last."""
    check_base(base_uri)
    base = resolve_checkpoint(base_uri)
    chosen = choose_examples(base_uri, orm, run_id)
    check_enough(chosen, orm)
    row = _write_rows(name, base_uri, config, seed, phase, chosen)
    spec = {"base": name_weights(_folder(row), base), "seed": seed, **config}
    fill_folder(_folder(row), ROWS, map(dataclasses.asdict, _read(chosen)), spec)
    return row


def check_enough(chosen: Collection[Chosen], orm: OrmConfig) -> None:
    """Refuse to learn from too few episodes, or from verdicts that are all the same.

    Raises:
        TooFewVerdicts: The message says what is missing.
    """
    learnt = [one for one in chosen if one.source in TAUGHT and not one.is_held_out]
    if len(learnt) < orm.least_verdicts:
        raise TooFewVerdicts(
            gettext(
                "There are %(n)s judged episodes to learn from; %(least)s are needed."
            )
            % {"n": len(learnt), "least": orm.least_verdicts}
        )
    if len({one.is_success for one in chosen if not one.is_held_out}) < 2:
        text = gettext("All judged episodes have the same verdict; both are needed.")
        raise TooFewVerdicts(text)


@transaction.atomic
def _write_rows(
    name: str,
    base_uri: str,
    config: dict[str, Any],
    seed: int,
    phase: Phase | None,
    chosen: Collection[Chosen],
) -> OrmTraining:
    OrmTraining.objects.filter(name=name).delete()
    row = OrmTraining.objects.create(
        name=name, base_uri=base_uri, config=config, seed=seed, phase=phase
    )
    rows = [
        OrmExample(
            training=row,
            trajectory_id=one.trajectory_id,
            source=one.source,
            is_success=one.is_success,
            is_held_out=one.is_held_out,
        )
        for one in chosen
    ]
    examples = OrmExample.objects.bulk_create(rows, batch_size=500)
    _link_verdicts(examples)
    return row


def _link_verdicts(examples: Collection[OrmExample]) -> None:
    people = {
        one.trajectory_id: one
        for one in examples
        if one.source == OrmExample.Source.PEOPLE
    }
    link = OrmExample.verdicts.through
    links = [
        link(ormexample_id=people[trajectory_id].pk, humanverdict_id=verdict_id)
        for trajectory_id, verdict_ids in map_verdicts(list(people)).items()
        for verdict_id in verdict_ids
    ]
    link.objects.bulk_create(links, batch_size=500)


def _read(chosen: Collection[Chosen]) -> Iterator[JudgedEpisode]:
    by_id = {one.trajectory_id: one for one in chosen}
    for episode in read_episodes(by_id):
        one = by_id[episode.trajectory_id]
        yield JudgedEpisode(
            trajectory_id=one.trajectory_id,
            instruction=episode.instruction,
            actions=tuple(step.output for step in episode.transitions),
            final_observation=episode.final_observation,
            site=one.site,
            is_success=one.is_success,
            is_held_out=one.is_held_out,
        )


@transaction.atomic
def _finish(row: OrmTraining) -> None:
    """Record the weights with their lineage and their accuracy.

    Raises:
        CheckpointError: The new weights are not what the trainer says it wrote.
    """
    result, uri = read_result(_folder(row)), _name_weights(row)
    checkpoint = register_trained(row, uri, Checkpoint.Kind.ORM, result)
    _store_scores(row, result.get("scores", []))
    OrmTraining.objects.filter(pk=row.pk).update(
        status=Status.FINISHED,
        failure_reason="",
        accuracy=result.get("accuracy", {}),
        provenance=result.get("provenance", {}),
        checkpoint=checkpoint,
        ended_at=timezone.now(),
    )


def _store_scores(row: OrmTraining, scores: Collection[dict[str, Any]]) -> None:
    examples = {one.trajectory_id: one for one in row.examples.filter(is_held_out=True)}
    lines = iter(scores)
    while chunk := list(itertools.islice(lines, 500)):
        changed = []
        for line in chunk:
            example = examples.get(line["trajectory_id"])
            if example is not None:
                example.before, example.after = line["before"], line["after"]
                changed.append(example)
        OrmExample.objects.bulk_update(changed, ["before", "after"])
