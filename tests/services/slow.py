"""The fakes, slow enough that a worker can be killed in the middle of each stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curriculum.evolution.types import ProposedTask, SeedTask
from rollouts.browser.types import EpisodeRecord
from tests import fakes
from tests.fakes import CollectorOptions
from training.rl.types import Trajectory

__all__ = ["CollectorOptions", "SlowCollector", "SlowGenerator"]

RECORD_S = 0.04
STAGE_S = 1.0


class SlowCollector(fakes.FakeCollector):
    """Hands out one record of one episode at a time, as a browser would."""

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        time.sleep(RECORD_S)
        if not self._playing:
            return []
        attempt, episode = self._playing.popitem(last=False)
        record = next(episode, None)
        if record is None:
            return []
        self._playing[attempt] = episode
        return [record]


class SlowRewardModel(fakes.FakeRewardModel):
    def score(self, trajectories: Sequence[Trajectory]) -> list[float | None]:
        time.sleep(STAGE_S)
        return super().score(trajectories)


def load_reward_model(path: str, **limits: object) -> SlowRewardModel:
    fakes.read_skill(path)
    return SlowRewardModel()


class SlowValueEstimator(fakes.FakeValueEstimator):
    def estimate(self, starts: Sequence[tuple[str, str]]) -> list[float]:
        time.sleep(STAGE_S)
        return super().estimate(starts)


def load_value_estimator(path: str, **limits: object) -> SlowValueEstimator:
    fakes.read_skill(path)
    return SlowValueEstimator()


class SlowGenerator(fakes.CannedGenerator):
    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        time.sleep(STAGE_S)
        return super().propose(seeds, count=count, seed=seed)


def train_phase(
    directory: Path,
    *,
    threads: int,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    time.sleep(STAGE_S)
    fakes.train_phase(
        directory, threads=threads, on_progress=on_progress, should_stop=should_stop
    )
