"""A person tries a task by hand in the sandbox; the evaluators score it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators import (
    Ending,
    Judge,
    Verdict,
    evaluate,
)
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.evaluators.types import PageNotRecorded
from rollouts.browser.hosting.hosts import OpenSites, locate_task, start_urls
from rollouts.browser.hosting.sandbox_client import SandboxClient
from rollouts.browser.types import TaskSpec


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """One person's attempt, in an episode of the sandbox of their own.

    Attributes:
        token: The sandbox's name for the episode.
        origins: Where its sites are.
        state_at_start: The sites' state before the first action.
    """

    token: str
    origins: dict[str, str]
    state_at_start: dict[str, Any]


async def open_trial(client: SandboxClient, sites: Sequence[str]) -> Trial:
    """Open the sites in their initial state.

    Raises:
        SandboxError: The sandbox does not answer, or has no such site.
    """
    opened = await client.open(sites)
    return Trial(opened.token, opened.origins, await client.state(opened.token))


def find_start(task: TaskSpec, trial: Trial) -> list[str]:
    """Return the addresses that the task starts on, one per tab."""
    return start_urls(locate_task(task, OpenSites(trial.token, trial.origins)))


async def judge_trial(
    client: SandboxClient,
    task: TaskSpec,
    trial: Trial,
    answer: str,
    judge: Judge | None = None,
) -> Verdict:
    """Run the task's evaluators on what the person has done.

    Raises:
        SandboxError: The sandbox does not answer, or has forgotten the episode.
    """
    located = locate_task(task, OpenSites(trial.token, trial.origins))
    ending = Ending(
        answer=answer,
        url=await client.place(trial.token),
        state=await client.state(trial.token),
        state_at_start=trial.state_at_start,
    )
    return await evaluate(located.spec, ending, NoPages(), judge=judge)


def read_trial(data: Mapping[str, Any]) -> Trial:
    """Return the trial that `dataclasses.asdict` serialised."""
    return Trial(
        **{field.name: data[field.name] for field in dataclasses.fields(Trial)}
    )


class NoPages:
    """Satisfies `PageReader`: a person's browser cannot be read."""

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        """Refuse, so that the check stays undecided."""
        raise PageNotRecorded(Sentence("own_browser"))
