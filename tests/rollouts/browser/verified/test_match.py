from __future__ import annotations

from pathlib import Path

import pytest

from rollouts.browser.evaluators import Ending, evaluate
from rollouts.browser.hosting.hosts import OpenSites, locate_task
from rollouts.browser.types import TaskSpec
from rollouts.browser.verified.match import NO_PACKAGE, NOT_RECORDED
from rollouts.browser.verified.types import tell_format, wants_requests
from tests.rollouts.browser.evaluators.helpers import FakeReader
from tests.rollouts.browser.verified.helpers import (
    ANSWER,
    REQUEST,
    FakeScorer,
    published,
    spec,
)

EXITED = Ending("{}", "http://shop.test/", has_exited=True)


async def judge(task, ending=EXITED, scorer=None):
    return await evaluate(task, ending, FakeReader({}), verified=scorer)


@pytest.mark.parametrize("passed", [True, False])
async def test_the_package_decides(passed):
    verdict = await judge(spec(), scorer=FakeScorer(passed))
    assert verdict.outcome is passed


async def test_without_the_package_the_outcome_stays_open_and_says_why():
    verdict = await judge(spec(ANSWER, REQUEST))
    assert verdict.outcome is None
    assert [check.why for check in verdict.checks] == [NO_PACKAGE, NO_PACKAGE]


async def test_a_package_that_fails_decides_nothing():
    verdict = await judge(spec(), scorer=FakeScorer(fails=True))
    assert verdict.outcome is None
    assert "it is not there" in verdict.checks[0].why


async def test_requests_that_were_not_recorded_leave_a_right_answer_open():
    verdict = await judge(spec(ANSWER, REQUEST), scorer=FakeScorer())
    assert verdict.outcome is None
    assert verdict.checks[-1].why == NOT_RECORDED


async def test_a_wrong_answer_fails_without_the_requests():
    verdict = await judge(spec(ANSWER, REQUEST), scorer=FakeScorer(False))
    assert verdict.outcome is False


async def test_the_package_gets_answer_addresses_and_requests():
    scorer = FakeScorer()
    origins = {"shop": "http://shop.test"}
    ending = Ending("{}", "", has_exited=True, origins=origins)
    await judge(spec(), ending, scorer)
    (case,) = scorer.cases
    assert (case.task, case.answer, case.origins) == (published(), "{}", origins)


async def test_an_agent_that_did_not_exit_gave_no_answer():
    scorer = FakeScorer()
    await judge(spec(), Ending("", ""), scorer)
    assert scorer.cases[0].answer is None


async def test_a_task_that_is_not_there_is_malformed():
    rules = {"eval": {"eval_types": ["webarena_verified"]}}
    verdict = await judge(rules, scorer=FakeScorer())
    assert verdict.outcome is None
    assert "malformed" in verdict.checks[0].why


def test_the_published_task_keeps_its_placeholders():
    task = TaskSpec(1, "", "__SHOP__/", ("shop",), spec(REQUEST))
    located = locate_task(task, OpenSites("", {"shop": "http://shop.test"}))
    assert located.start_url == "http://shop.test/"
    assert located.spec["eval"]["published"] == published(REQUEST)


@pytest.mark.parametrize("rules", [None, [], "x", {"published": "x"}])
def test_requests_are_recorded_for_tasks_that_look_at_them_alone(rules):
    assert wants_requests(spec(ANSWER, REQUEST))
    assert not wants_requests(spec(ANSWER))
    assert not wants_requests({"eval": rules})


def test_the_agent_is_told_the_format_of_the_answer():
    assert tell_format("Find it", {}) == "Find it"
    told = tell_format("Find it", spec())
    assert told.startswith("Find it ")
    assert "retrieved_data" in told


def test_an_ending_has_no_requests_unless_they_are_named():
    assert Ending("", "", requests=Path("x")).requests == Path("x")
    assert Ending("", "").requests is None
