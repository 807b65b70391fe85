"""The environment as a Gymnasium `Env`, for agents written for that interface.

Observations are dictionaries of texts, actions are texts in WebRL's or BrowserGym's
grammar. An agent's mistake is text in `info["error"]`, never an exception. Everything
asynchronous runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypedDict, TypeVar

import gymnasium
from gymnasium import spaces

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.evaluators import Judge
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.hosting.hosts import SiteHost
from rollouts.browser.observation.observations import ObservationOptions, SettleLimits
from rollouts.browser.process.pool import PoolOptions
from rollouts.browser.types import Observation, SignIn, TaskSpec
from rollouts.browser.verified.types import VerifiedScorer
from rollouts.browser.world import BrowserWorld

Result = TypeVar("Result")
LONGEST = 1_000_000
# What `action_space.sample` draws from.
EXAMPLES: dict[DialectName, tuple[str, ...]] = {
    "webrl": ("exit()", 'do(action="Scroll Down")'),
    "webrl_strict": ("exit()", 'do(action="Scroll Down")'),
    "autowebglm": ("finish()", 'scroll_page(direction="down")'),
    "browsergym": ("report_infeasible('')", "scroll(0, 480)"),
    "tools": ("exit()", 'do(action="Scroll Down")'),
}


class TextObservation(TypedDict):
    """What an agent sees: the task, the page, and where it is."""

    instruction: str
    text: str
    url: str
    title: str


class AnyText(spaces.Space[str]):
    """Any text; Gymnasium's own text space allows only listed characters."""

    def __init__(self, examples: Sequence[str] = ("",)) -> None:
        """`examples` are what `sample` draws from."""
        super().__init__((), None)
        self._examples = list(examples)

    @property
    def is_np_flattenable(self) -> bool:
        """Texts cannot be flattened into an array."""
        return False

    def sample(self, mask: object = None, probability: object = None) -> str:
        """Draw one of the examples."""
        return self._examples[int(self.np_random.integers(len(self._examples)))]

    def contains(self, x: object) -> bool:
        """Whether `x` is a text within the length limit."""
        return isinstance(x, str) and len(x) <= LONGEST


class WebEnv(gymnasium.Env[TextObservation, str]):
    """Tasks on sites, one at a time, in one browser.

    `reset(seed=...)` draws a task; `reset(options={"task": 3})` takes the fourth.
    `render` gives the page as a picture in mode "jpeg". Addresses have the sites'
    placeholders in place of the episode's own hosts, so they are the same every time.
    `timing` holds the milliseconds of the last call, by part. Close it, or use it as a
    context manager, to end the browser.
    """

    metadata: dict[str, Any] = {"render_modes": ["jpeg"], "render_fps": 1}

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        host: SiteHost,
        *,
        limits: EpisodeLimits | None = None,
        observation: ObservationOptions | None = None,
        dialect: DialectName = "webrl",
        browser: PoolOptions | None = None,
        render_mode: str | None = None,
        sign_ins: Mapping[str, SignIn] | None = None,
        judge: Judge | None = None,
        shops: Mapping[str, ShopInterface] | None = None,
        acting: ActingOptions | None = None,
        verified: VerifiedScorer | None = None,
        settle: SettleLimits | None = None,
    ) -> None:
        """`tasks` must not be empty; `host` says where their sites are.

        `observation` says what `text` is: simplified HTML or an accessibility tree;
        `dialect` how actions are written, `acting` how they are carried out, `settle`
        how long pages are waited for. `sign_ins` and `shops` are by site key, for
        external sites. Without `judge` and `verified` the outcome of tasks that need
        them is open.
        """
        if not tasks:
            raise ValueError("An environment needs at least one task.")
        if render_mode not in (None, "jpeg"):
            raise ValueError(f"render_mode must be None or 'jpeg', not {render_mode!r}")
        self.render_mode = render_mode
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {name: AnyText() for name in TextObservation.__annotations__}
        )
        self.action_space = AnyText(EXAMPLES[dialect])
        self._tasks = list(tasks)
        self._limits = limits or EpisodeLimits()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._world = BrowserWorld(
            host,
            browser or PoolOptions(prepared=0),
            observation or ObservationOptions(),
            judge,
            sign_ins,
            shops,
            dialect,
            acting,
            verified,
            settle=settle,
        )
        self._environment = self._world.environment()
        self._task = self._tasks[0]
        self._picture = b""
        self.timing: dict[str, float] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[TextObservation, dict[str, Any]]:
        """Begin a task and return its first page.

        Raises:
            EpisodeBroken: The site or the browser failed.
        """
        super().reset(seed=seed)
        index = (options or {}).get("task")
        if index is None:
            index = int(self.np_random.integers(len(self._tasks)))
        self._task = self._tasks[index]
        seen, info = self._wait(
            self._environment.reset(
                self._task, limits=self._limits, recording=self._recording()
            )
        )
        return self._show(seen), self._tell({"task": index, **info})

    def step(
        self, action: str
    ) -> tuple[TextObservation, float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        `info["outcome_is_open"]` says that the episode has ended and the evaluators
        have not decided (`info["checks"]` has their reasons); its reward is then 0.

        Raises:
            EpisodeBroken: The site or the browser failed; the episode is over.
        """
        seen, reward, terminated, truncated, info = self._wait(
            self._environment.step(action)
        )
        is_open = info["ended_by"] is not None and info["outcome"] is None
        told = self._tell({**info, "outcome_is_open": is_open})
        return self._show(seen), reward, terminated, truncated, told

    def render(self) -> bytes | None:  # type: ignore[override]
        """Return the page as JPEG bytes in mode "jpeg"."""
        return self._picture if self.render_mode == "jpeg" else None

    def close(self) -> None:
        """End the episode, the browser and the thread; once is enough."""
        if self._loop.is_closed():
            return
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        await self._environment.close()
        await self._world.close()

    def _recording(self) -> Recording:
        return Recording(screenshots=self.render_mode == "jpeg")

    def _show(self, seen: Observation) -> TextObservation:
        self._picture = seen.screenshot
        return {
            "instruction": self._task.instruction,
            "text": seen.text,
            "url": self._environment.hide_origins(seen.url),
            "title": seen.title,
        }

    def _tell(self, info: dict[str, Any]) -> dict[str, Any]:
        """Separate the times: all else is the same for the same seed and action."""
        self.timing = info.pop("timing", {})
        return info

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        future: concurrent.futures.Future[Result]
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()
