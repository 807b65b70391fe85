"""The Gymnasium environment, in real Chromium on the sandbox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gymnasium.utils.env_checker import check_env

from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.observation.observations import ObservationOptions
from rollouts.browser.types import TaskSpec
from rollouts.gym_env import AnyText, WebEnv
from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy

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
