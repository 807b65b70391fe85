"""The benchmark for AgentLab's studies and BrowserGym's experiments."""

from __future__ import annotations

import dataclasses
from typing import Any

from browsergym.experiments.benchmark import Benchmark
from browsergym.experiments.benchmark.base import HighLevelActionSetArgs
from browsergym.experiments.loop import EnvArgs

from rollouts.sites.browsergym_suite.registration import (
    MAX_STEPS,
    SUITE,
    list_keys,
    register,
)


@dataclasses.dataclass
class SandboxEnvArgs(EnvArgs):
    """Registers the tasks first: studies run experiments in processes of their own."""

    def make_env(self, *args: object, **options: object) -> Any:
        """Return BrowserGym's environment of the task."""
        register()
        return super().make_env(*args, **options)


def make_benchmark(split: str = "test") -> Benchmark:
    """Return a split (train, validation or test) as a benchmark, one seed a task.

    A task is the same for every seed: its sites begin in a fixed state.
    """
    names = [f"{SUITE}.{key}" for key in list_keys(split)]
    return Benchmark(
        name=f"{SUITE}_{split}",
        high_level_action_set_args=HighLevelActionSetArgs(
            subsets=("chat", "infeas", "bid", "nav", "tab"), demo_mode="off"
        ),
        is_multi_tab=True,
        supports_parallel_seeds=True,
        env_args_list=[
            SandboxEnvArgs(task_name=name, task_seed=0, max_steps=MAX_STEPS)
            for name in names
        ],
        backends=[],
    )
