"""The prompt of a policy that is trained here: the same for acting and training.

A model that is only served may get a longer one (`served_prompts`).
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
        name: The kind of prompt.
        observation: The form of the pages.
    """

    name: TrainedName = "plain"
    observation: Form = "compact"

    @property
    def old_page(self) -> str:
        """The text in the history in place of a page that is no longer shown."""
        return OLD_PAGES[self.observation]


PLAIN = TrainedPrompt()


def choose_prompt(served_prompt: str, observation: Form) -> TrainedPrompt:
    """Return the prompt of a policy that is trained here, from a run's settings.

    It reads only the conversation, regardless of the settings for served models.
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
