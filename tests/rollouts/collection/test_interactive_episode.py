"""An episode driven call by call, in real Chromium on the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rollouts.browser.types import EpisodeRequest, Exchange, StepRecord, TaskSpec
from rollouts.collection.collector_options import CollectorOptions
from rollouts.collection.interactive_episode import Hand
from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.sandbox.background import Sandbox, running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy, plan_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with running_sandbox() as running:
        yield running


def make_request(task: dict[str, Any]) -> EpisodeRequest:
    sites = tuple(task["sites"])
    spec = TaskSpec(1, task["intent"], task["start_url"], sites, task)
    return EpisodeRequest(1, 1, spec, seed=0, step_limit=30, time_limit_s=60)


def open_episode(sandbox: Sandbox) -> Hand:
    return Hand(CollectorOptions(sandbox_control_url=sandbox.control_url))


def longest_task() -> dict[str, Any]:
    tasks = [task for task in load_tasks("train") if task["sites"] == ["shop"]]
    return max(tasks[:60], key=lambda task: len(plan_of(task)))


def play(hand: Hand, task: dict[str, Any]) -> list[Exchange]:
    oracle, made = OraclePolicy([task]), list[Exchange]()
    seen = hand.begin(make_request(task))
    while not made or made[-1].end is None:
        history = tuple(one.record.output for one in made)
        asked = PolicyRequest(
            task["intent"], history, ("",) * len(history), seen.text, 0
        )
        made.append(hand.step(oracle.act([asked])[0].output))
        seen = made[-1].following
    return made


def test_recorded_actions_lead_to_the_recorded_pages_again(sandbox: Sandbox) -> None:
    task = longest_task()
    with open_episode(sandbox) as hand:
        recorded = [one.record for one in play(hand, task)]
    with open_episode(sandbox) as hand:
        seen = hand.begin(make_request(task)).text
        for record in recorded[:-1]:
            assert seen == record.observation.text
            seen = hand.step(record.output).following.text
    assert len(recorded) > 2
    assert seen == recorded[-1].observation.text


def test_the_last_step_says_how_it_ended(sandbox: Sandbox) -> None:
    with open_episode(sandbox) as hand:
        made = play(hand, longest_task())
    assert made[-1].end is not None
    assert (made[-1].end.ended_by, made[-1].end.outcome) == ("exit", True)


def test_steps_are_numbered_and_carry_their_page(sandbox: Sandbox) -> None:
    with open_episode(sandbox) as hand:
        records: list[StepRecord] = [one.record for one in play(hand, longest_task())]
    assert [record.index for record in records] == list(range(len(records)))
    assert all(record.observation.screenshot for record in records)


def test_a_wrong_action_is_told_and_the_same_one_may_be_tried_again(
    sandbox: Sandbox,
) -> None:
    with open_episode(sandbox) as hand:
        hand.begin(make_request(longest_task()))
        made = [hand.step('do(action="Click", element="9999")') for _ in range(5)]
    assert all(one.record.error for one in made)
    assert made[-1].end is None
