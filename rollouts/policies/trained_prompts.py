"""What a policy that is trained here reads: one home for acting and for training.

A model that is only served may be told more (`served_prompts`).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from rollouts.browser.observation.page_script import Form
from rollouts.policies.prompts import OLD_PAGES

# "plain": the conversation; "webrl": the text that WebRL's released models continue.
TrainedName = Literal["plain", "webrl"]


@dataclasses.dataclass(frozen=True, slots=True)
class TrainedPrompt:
    """How the prompts are written.

    Attributes:
        name: In which form.
        observation: What the pages are written as.
    """

    name: TrainedName = "plain"
    observation: Form = "compact"

    @property
    def old_page(self) -> str:
        """What stands in the history for a page that is no longer shown."""
        return OLD_PAGES[self.observation]


PLAIN = TrainedPrompt()


def choose_prompt(served_prompt: str, observation: Form) -> TrainedPrompt:
    """Return what a run's settings mean for a policy that is trained here.

    Whatever else a served model would be told, it reads the conversation alone.
    """
    name: TrainedName = "webrl" if served_prompt == "webrl" else "plain"
    return TrainedPrompt(name, observation)


def read_prompt(settings: dict[str, Any]) -> TrainedPrompt:
    """Return the prompt of a run's stored `rollout` settings."""
    observation = settings.get("observation", PLAIN.observation)
    return choose_prompt(
        settings.get("served_prompt", ""),
        "compact" if observation == "html" else observation,
    )
