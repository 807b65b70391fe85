"""A policy of ours as an agent of BrowserGym.

The agent reads the page itself, in the form that the policy has learnt, and acts by
BrowserGym's calls with coordinates. So the environment must hand over its page:
`PolicyEnvArgs`, or `use_raw_page_output=True`.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.experiments import Agent

from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.observation.observations import (
    ObservationOptions,
    SettleLimits,
    look_options,
    parse_look,
)
from rollouts.browser.observation.page_script import page_script
from rollouts.browser.types import Action
from rollouts.policies.protocol import Policy, PolicyRequest
from rollouts.sites.browsergym_suite.acting import Target, write_calls
from rollouts.sites.browsergym_suite.study import SandboxEnvArgs

NOT_SEEN = "The page did not answer."


@dataclasses.dataclass
class PolicyEnvArgs(SandboxEnvArgs):
    """Hands the page over; everything else is as in BrowserGym."""

    def make_env(self, *args: object, **options: object) -> Any:
        """Return the environment with `use_raw_page_output`."""
        return super().make_env(*args, **{**options, "use_raw_page_output": True})


class PolicyAgent(Agent):
    """One episode's agent: keeps the policy's outputs and their errors."""

    def __init__(self, policy: Policy, seed: int = 0) -> None:
        """`policy` reads compact pages and writes WebRL's actions."""
        self.action_set = HighLevelActionSet(
            subsets=["coord", "nav", "tab", "chat", "infeas"], multiaction=True
        )
        self._policy, self._seed = policy, seed
        self._outputs: list[str] = []
        self._errors: list[str] = []
        self._prepared: set[Any] = set()

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        """Read the page in the policy's form; the page itself is not kept."""
        page = obs.pop("page")
        seen = self._look(page)
        scale = getattr(page, "_bgym_scale_factor", 1.0)
        targets = {one.id: Target(one.box, scale) for one in seen.elements}
        return {**obs, "observation": seen.text, "targets": targets}

    def _look(self, page: Any) -> Any:
        if page.context not in self._prepared:
            # Later pages run the script before their own.
            page.context.add_init_script(page_script())
            self._prepared.add(page.context)
        options = look_options(
            ObservationOptions(), SettleLimits(), with_snapshot=False
        ) | {"knownSheets": []}
        if not page.evaluate("() => Boolean(window.__webrl)"):
            page.evaluate(page_script())
        told = page.evaluate("options => window.__webrl.look(options)", options)
        return parse_look(json.loads(told)).observation

    def get_action(self, obs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Ask the policy; return BrowserGym's calls, and the output as thoughts."""
        if len(self._errors) < len(self._outputs):
            self._errors.append(obs.get("last_action_error") or "")
        request = PolicyRequest(
            instruction=obs["goal"],
            history=tuple(self._outputs),
            errors=tuple(self._errors),
            observation=obs["observation"],
            seed=self._seed + len(self._outputs),
        )
        output = self._policy.act([request])[0].output
        action: Action = parse_action(output)
        calls, error = write_calls(action, obs["targets"])
        self._outputs.append(output)
        if error:
            self._errors.append(error)
        return calls, {"think": output}
