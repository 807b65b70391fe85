from __future__ import annotations

from collections import Counter

import pytest

from rollouts.browser.types import StepRecord
from rollouts.sites.kit.plans import Exit, Scroll, Switch
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy, find_elements, plan_of
from rollouts.sites.sandbox.playing import Attempt, play

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def attempts() -> list[Attempt]:
    """One task of every template."""
    first = {task["template_key"]: task for task in reversed(load_tasks())}
    assert set(first) == set(TEMPLATES)
    with running_sandbox() as sandbox:
        tasks = list(first.values())
        oracle = OraclePolicy(tasks)
        return list(play(oracle, tasks, control_url=sandbox.control_url))


def test_the_oracle_solves_every_template_in_the_optimal_steps(
    attempts: list[Attempt],
) -> None:
    failed = [attempt.explain() for attempt in attempts if not attempt.has_succeeded]
    assert failed == []


def test_what_is_clicked_is_unmistakable(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        for step, record in zip(plan_of(attempt.task), attempt.steps, strict=True):
            if not isinstance(step, Exit | Scroll | Switch):
                assert len(find_elements(record.observation.text, step.label)) == 1


def test_pages_are_lean_and_their_elements_have_distinct_names(
    attempts: list[Attempt],
) -> None:
    for record in (record for attempt in attempts for record in attempt.steps):
        assert _most_common(record) == 1, record.observation.text
        assert len(record.observation.elements) <= 25
        assert len(record.observation.text) < 2000


def _most_common(record: StepRecord) -> int:
    names = Counter(element.text for element in record.observation.elements)
    return max(names.values())
