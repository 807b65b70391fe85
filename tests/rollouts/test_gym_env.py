"""The Gymnasium environment, in real Chromium on the sandbox."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.evaluators import Judge
from rollouts.browser.hosting.hosts import ExternalHost, SandboxHost
from rollouts.browser.observation.observations import ObservationOptions
from rollouts.browser.types import TaskSpec
from rollouts.gym_env import AnyText, WebEnv
from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy
from tests.rollouts.browser.remote_sandbox import SIGN_IN, running_remote

TASKS = [task for task in load_tasks("train") if task["sites"] == ["shop"]][:3]
SPECS = [
    TaskSpec(n, task["intent"], task["start_url"], ("shop",), task)
    for n, task in enumerate(TASKS)
]


@pytest.fixture(scope="module")
def env() -> Iterator[WebEnv]:
    with running_sandbox() as sandbox:
        env = WebEnv(SPECS, SandboxHost(sandbox.control_url), render_mode="jpeg")
        yield env
        env.close()


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasiums_own_checker_is_content(env: WebEnv) -> None:
    check_env(env, skip_render_check=True)


@pytest.mark.browser
def test_an_agent_solves_a_task(env: WebEnv) -> None:
    oracle = OraclePolicy(TASKS)
    seen, info = env.reset(options={"task": 1})
    assert info["task"] == 1
    history: tuple[str, ...] = ()
    terminated, reward = False, 0.0
    while not terminated:
        request = PolicyRequest(
            seen["instruction"], history, ("",) * len(history), seen["text"], 0
        )
        action = oracle.act([request])[0].output
        seen, reward, terminated, truncated, _ = env.step(action)
        history = (*history, action)
        assert not truncated
    assert reward == 1.0


@pytest.mark.browser
def test_what_an_agent_does_wrong_is_told_and_not_raised(env: WebEnv) -> None:
    env.reset(options={"task": 0})
    *_, info = env.step("make it so")
    assert info["error"]


@pytest.mark.browser
def test_a_page_is_rendered_as_a_picture(env: WebEnv) -> None:
    env.reset(options={"task": 0})
    picture = env.render()
    assert picture is not None
    assert picture.startswith(b"\xff\xd8")


@pytest.mark.browser
def test_pages_may_be_accessibility_trees() -> None:
    tree = ObservationOptions(form="accessibility_tree")
    with running_sandbox() as sandbox:
        env = WebEnv(SPECS, SandboxHost(sandbox.control_url), observation=tree)
        seen, _ = env.reset(options={"task": 0})
        env.close()
    assert seen["text"].startswith("RootWebArea 'Maple Shop'\n")
    assert "\t[0] link 'Maple Shop'" in seen["text"]


@pytest.mark.browser
def test_actions_may_be_browsergyms_calls() -> None:
    with running_sandbox() as sandbox:
        env = WebEnv(SPECS, SandboxHost(sandbox.control_url), dialect="browsergym")
        env.reset(options={"task": 0})
        *_, info = env.step(env.action_space.sample())
        env.close()
    assert not info["action"].error


class Lenient:
    """A judge that takes every answer for right."""

    async def has_same_meaning(self, **_: Any) -> bool:
        return True

    async def has_same_reason(self, **_: Any) -> bool:
        return True


FUZZY = {"eval_types": ["string_match"], "reference_answers": {"fuzzy_match": ["a"]}}
MEANT = TaskSpec(1, "Say it", "__SHOP__/", ("shop",), {"intent": "x", "eval": FUZZY})


@pytest.mark.browser
@pytest.mark.parametrize(
    ("judge", "reward", "is_open"), [(None, 0.0, True), (Lenient(), 1.0, False)]
)
def test_an_open_outcome_is_told_and_a_judge_decides_it(
    judge: Judge | None, reward: float, is_open: bool
) -> None:
    with running_sandbox() as sandbox:
        env = WebEnv([MEANT], SandboxHost(sandbox.control_url), judge=judge)
        env.reset()
        *_, going = env.step('do(action="Scroll Down")')
        _, got, *_, info = env.step('exit(message="An answer")')
        env.close()
    assert going["outcome_is_open"] is False
    assert (got, info["outcome_is_open"]) == (reward, is_open)


@pytest.mark.browser
def test_an_external_site_is_signed_in_to() -> None:
    there = TaskSpec(1, "Look", "__REMOTE__/", ("remote",), {})
    with running_remote() as remote:
        host = ExternalHost({"remote": remote.url})
        env = WebEnv([there], host, sign_ins={"remote": SIGN_IN})
        seen, _ = env.reset()
        env.close()
    assert "Maple Shop" in seen["text"]
    assert remote.sign_ins == 1


def test_what_the_browsers_environment_takes_can_be_given() -> None:
    inner = set(inspect.signature(BrowserEnvironment).parameters)
    named_otherwise = {"pool", "options"}
    assert inner - named_otherwise <= set(inspect.signature(WebEnv).parameters)


def test_any_text_is_a_text_of_bearable_length() -> None:
    space = AnyText(["a", "b"])
    assert space.sample() in ("a", "b")
    assert "\N{SNOWMAN}" in space
    assert 5 not in space
    assert "x" * 2_000_000 not in space


def test_an_environment_needs_tasks_and_a_known_mode() -> None:
    with pytest.raises(ValueError, match="at least one task"):
        WebEnv([], SandboxHost("http://127.0.0.1:9"))
    with pytest.raises(ValueError, match="render_mode"):
        WebEnv(SPECS, SandboxHost("http://127.0.0.1:9"), render_mode="ascii")
