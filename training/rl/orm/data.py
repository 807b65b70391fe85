"""The files of a reward model's training: verdicts in, scores and a result out."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from training.rl.orm.config import OrmConfig
from training.rl.training_data import SPEC, TrainingDataError, find_weights
from training.rl.types import Trajectory, Transition
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

ROWS = "verdicts.jsonl"  # judged episodes, held-out ones too
BEFORE = "before.json"  # P(YES) of the held-out ones before training
WEIGHTS = "orm"  # the folder of the trained reward model


@dataclasses.dataclass(frozen=True)
class OrmSpec:
    """What to train from, with which numbers."""

    base: Path
    seed: int
    orm: OrmConfig
    algorithm: WebRLConfig


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """What the reward model reads of an episode, and the right verdict.

    Attributes:
        actions: Every output of the policy, oldest first.
        site: Key of the task's site; accuracy is reported by site.
        is_held_out: Whether it is used only to measure.
    """

    trajectory_id: int
    instruction: str
    actions: tuple[str, ...]
    final_observation: str
    site: str
    is_success: bool
    is_held_out: bool

    def as_trajectory(self) -> Trajectory:
        """Return the episode in the form that the reward model reads."""
        # Only outputs and the last page are read; the rest is empty.
        steps = (Transition(0, (), (), "", action) for action in self.actions)
        return Trajectory(
            self.trajectory_id,
            0,
            self.instruction,
            tuple(steps),
            self.final_observation,
        )


def read_orm_spec(directory: Path) -> OrmSpec:
    """Read `spec.json`.

    Raises:
        TrainingDataError: Missing, not JSON, or a field is unknown or out of range.
    """
    try:
        raw = json.loads((directory / SPEC).read_text())
        return OrmSpec(
            base=find_weights(directory, raw["base"]),
            seed=int(raw["seed"]),
            orm=OrmConfig(**raw["orm"]),
            algorithm=WebRLConfig(**upgrade_algorithm(raw["algorithm"])),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(f"{directory / SPEC}: {error}") from error


def read_rows(directory: Path) -> list[JudgedEpisode]:
    """Read the judged episodes, one a line.

    Raises:
        TrainingDataError: A line is malformed; the message gives its number.
    """
    path, found = directory / ROWS, []
    with path.open() as lines:
        for number, line in enumerate(lines, start=1):
            try:
                found.append(_parse(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise TrainingDataError(f"{path}, line {number}: {error}") from error
    return found


def _parse(raw: dict[str, Any]) -> JudgedEpisode:
    return JudgedEpisode(**{**raw, "actions": tuple(raw["actions"])})


@dataclasses.dataclass(frozen=True, slots=True)
class Score:
    """P(YES) of one held-out episode before and after training, and the right word."""

    trajectory_id: int
    site: str
    is_success: bool
    before: float
    after: float


def sum_up(scores: list[Score]) -> dict[str, dict[str, float]]:
    """Return n and the accuracies by site, and under "" those of all sites."""
    found: dict[str, dict[str, float]] = {}
    # "" is all sites together.
    for site in ("", *sorted({score.site for score in scores})):
        some = [score for score in scores if site in ("", score.site)]
        if some:
            found[site] = {
                "n": len(some),
                "before": _accuracy([(s.before, s.is_success) for s in some]),
                "after": _accuracy([(s.after, s.is_success) for s in some]),
            }
    return found


def _accuracy(pairs: list[tuple[float, bool]]) -> float:
    # R = 1 if P(YES) > P(NO) (paper, section 3.2).
    return sum((chance > 0.5) == truth for chance, truth in pairs) / len(pairs)
