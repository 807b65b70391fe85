"""How episodes are collected, and the world that they are collected in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.episode import EpisodeLimits, Recording, StepInfo
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.evaluators.openai_judge import JudgeOptions, OpenAIJudge
from rollouts.browser.hosting.hosts import MixedHost, SandboxHost
from rollouts.browser.hosting.signing_in import SIGN_IN_S
from rollouts.browser.observation.observations import (
    NAVIGATION_MS,
    ObservationOptions,
    SettleLimits,
)
from rollouts.browser.observation.page_script import Form
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.pool import PoolOptions
from rollouts.browser.types import Observation, SignIn, TaskSpec
from rollouts.browser.verified.package import VerifiedPackage
from rollouts.browser.world import BrowserWorld


@dataclasses.dataclass(frozen=True, slots=True)
class CollectorOptions:
    """How episodes are collected.

    Attributes:
        contexts: Episodes at once.
        sandbox_control_url: Control listener of the sandbox.
        addresses: Where the sites outside the sandbox are, by key.
        more_addresses: Where their other instances are.
        further_hosts: What else their pages may reach, each with its site.
        sign_ins: How to sign in to them, by key.
        shops: Magento's own interfaces among them, by key.
        browser_executable: Browser to start; None looks for one.
        browser_memory_mib: A browser that uses more ends with its episodes; 0: no
            limit.
        episode_memory_mib: An episode whose page uses more is broken; 0: no limit.
        observation: What the observations keep.
        observation_form: What the pages are written as.
        action_dialect: How the policy writes its actions.
        acting: How they are carried out.
        wait_s: Shortest wait before each observation; 0 waits only until the page is
            quiet.
        whole_page: Observations show all of a page, not only what is on the screen.
        trace_folder: Where traces are written before they are stored.
        judge: Asked by tasks that compare meanings; None leaves those undecided.
        verified_python: Has WebArena-Verified's package; "" leaves its tasks undecided.
        navigation_s: Longest wait for the first answer of a page.
        deadline_s: Longest time of a step, and of opening the first page.
        sign_in_s: Longest wait for one sign-in, which `deadline_s` does not include.
        repeated: This many equal actions in a row end an episode.
        typed: So do this many texts typed into one element; 0: not counted.
        invalid: This many invalid answers in a row end an episode.
        close_deadline_s: Longest wait for the thread to end.
    """

    contexts: int = 4
    sandbox_control_url: str = "http://127.0.0.1:8011"
    addresses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    more_addresses: tuple[str, ...] = ()
    further_hosts: tuple[AllowedHost, ...] = ()
    sign_ins: Mapping[str, SignIn] = dataclasses.field(default_factory=dict)
    shops: Mapping[str, ShopInterface] = dataclasses.field(default_factory=dict)
    browser_executable: str | None = None
    browser_memory_mib: int = 0
    episode_memory_mib: int = 0
    observation: ObservationOptions = dataclasses.field(
        default_factory=ObservationOptions
    )
    observation_form: Form = "compact"
    action_dialect: DialectName = "webrl"
    acting: ActingOptions = dataclasses.field(default_factory=ActingOptions)
    wait_s: float = 0.0
    whole_page: bool = False
    trace_folder: Path | None = None
    judge: JudgeOptions | None = None
    verified_python: str = ""
    navigation_s: float = NAVIGATION_MS / 1000
    deadline_s: float = 30.0
    sign_in_s: float = SIGN_IN_S
    repeated: int = 3
    typed: int = 0
    invalid: int = 3
    close_deadline_s: float = 20.0


class Environment(Protocol):
    """What an episode is played on; see `rollouts.browser.environment`."""

    async def reset(
        self, task: TaskSpec, *, limits: EpisodeLimits, recording: Recording
    ) -> tuple[Observation, dict[str, Any]]: ...

    async def step(
        self, output: str
    ) -> tuple[Observation, float, bool, bool, StepInfo]: ...

    def extend(self, seconds: float) -> None: ...

    async def close(self) -> None: ...


class World(Protocol):
    """What episodes share; made and used in the collector's thread."""

    def environment(self) -> Environment: ...

    async def close(self) -> None: ...


def open_sandbox(options: CollectorOptions) -> World:
    """Return the sandbox and the external sites, seen through one browser."""
    return BrowserWorld(
        MixedHost(
            SandboxHost(options.sandbox_control_url),
            options.addresses,
            options.more_addresses,
            options.further_hosts,
        ),
        PoolOptions(
            executable=options.browser_executable,
            browser_mib=options.browser_memory_mib,
            episode_mib=options.episode_memory_mib,
        ),
        dataclasses.replace(
            options.observation,
            form=options.observation_form,
            whole_page=options.whole_page,
            least_ms=round(options.wait_s * 1000),
        ),
        OpenAIJudge(options.judge) if options.judge else None,
        options.sign_ins,
        options.shops,
        options.action_dialect,
        options.acting,
        VerifiedPackage(options.verified_python) if options.verified_python else None,
        options.sign_in_s,
        SettleLimits(navigation=round(options.navigation_s * 1000)),
    )
