"""What BrowserGym keeps of a MiniWoB++ episode; importable once BrowserGym is.

Its loop pickles these to files, so they are at the top level of a module.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from browsergym.experiments import AbstractAgentArgs
from browsergym.experiments.loop import ExpArgs, get_exp_result

from rollouts.policies.protocol import Policy
from rollouts.sites.browsergym_suite.agent import PolicyAgent, PolicyEnvArgs

# BrowserGym gives a page 5 s, too little on a busy machine.
PAGE_DEADLINE_MS = 90_000
# The policies by name; a policy itself cannot be written to a file.
POLICIES: dict[str, Policy] = {}


class PatientEnvArgs(PolicyEnvArgs):
    """Gives a page more time to load; everything else is BrowserGym's."""

    def make_env(self, *args: object, **options: object) -> Any:
        """Return the environment with the longer deadline."""
        env = super().make_env(*args, **options)
        env.unwrapped.timeout = PAGE_DEADLINE_MS
        return env


@dataclasses.dataclass
class PolicyArgs(AbstractAgentArgs):
    """Names one of `POLICIES`."""

    seed: int = 0

    def make_agent(self) -> PolicyAgent:
        """Return the agent of one episode."""
        # Far apart: an episode's steps take the seeds after its own.
        return PolicyAgent(POLICIES[self.agent_name], 1000 * self.seed)


def play(name: str, page: str, seed: int, max_steps: int, folder: Path) -> float:
    """Play one episode by BrowserGym's `ExpArgs.run`; return its reward."""
    episode = ExpArgs(
        agent_args=PolicyArgs(agent_name=name, seed=seed),
        env_args=PatientEnvArgs(
            task_name=f"miniwob.{page}", task_seed=seed, max_steps=max_steps, slow_mo=0
        ),
    )
    episode.prepare(folder)
    episode.run()
    told = get_exp_result(episode.exp_dir).summary_info
    if told["err_msg"]:
        print(told["err_msg"].splitlines()[0])
    return float(told["cum_reward"] or 0)
