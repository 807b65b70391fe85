"""A task of the practice sites as BrowserGym's environments play it."""

from __future__ import annotations

from typing import Any, Protocol

from browsergym.core.task import AbstractBrowserTask

from rollouts.browser.hosting.sandbox_client import SandboxError
from rollouts.sites.browsergym_suite.episodes import (
    Episodes,
    GymEpisode,
    find_episodes,
    find_task,
    list_checks,
    read_answer,
)


class Page(Protocol):
    """The part of BrowserGym's page, Playwright's synchronous one, that a task uses."""

    @property
    def url(self) -> str:
        """Return its address."""
        ...

    @property
    def context(self) -> Any:
        """Return its browser context."""
        ...

    def goto(self, url: str) -> object:
        """Go to an address."""
        ...

    def bring_to_front(self) -> None:
        """Make it the active tab."""
        ...


class SandboxTask(AbstractBrowserTask):
    """A task with its own state in each episode.

    As BrowserGym does for WebArena, the evaluators are asked after each step. The
    task is over at the first success, and when the agent writes to the user or
    reports that the task cannot be done, which answers N/A.
    """

    def __init__(self, seed: int, key: str, episodes: Episodes | None = None) -> None:
        """`key` is the task's; `episodes` are by default those of this process."""
        super().__init__(seed)
        self.viewport = {"width": 1280, "height": 720}
        self.slow_mo = 0
        self.timeout = 10_000
        self._key, self._episodes = key, episodes
        self._open: GymEpisode | None = None

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Open the sites and the task's first pages; return the instruction."""
        self._episodes = self._episodes or find_episodes()
        self._open = self._episodes.open(find_task(self._key))
        first, *others = self._open.starts
        page.goto(first)
        for address in others:
            page.context.new_page().goto(address)
        page.bring_to_front()
        return self._open.task.instruction, {"key": self._key}

    def validate(
        self, page: Page, chat_messages: list[dict[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        """Return reward, whether the task is over, no message, and the checks."""
        if self._episodes is None or self._open is None:
            return 0.0, True, "", {"error": "The task was not set up."}
        answer = read_answer(chat_messages)
        verdict = self._episodes.judge(self._open, page.url, answer)
        is_solved = verdict.outcome is True
        is_over = is_solved or answer is not None
        return float(is_solved), is_over, "", {"checks": list_checks(verdict)}

    def teardown(self) -> None:
        """Forget the episode; a sandbox that has ended is not an error."""
        if self._episodes is None or self._open is None:
            return
        episode, self._open = self._open, None
        try:
            self._episodes.close(episode)
        except SandboxError:
            return
