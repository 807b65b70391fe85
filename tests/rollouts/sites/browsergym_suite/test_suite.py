from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import gymnasium
import pytest

from rollouts.sites.browsergym_suite.episodes import Episodes, find_task, read_answer
from rollouts.sites.browsergym_suite.registration import COUNTS, list_keys, register
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks

# "Go to the details of my order 1017."
KEY = "shop.test.00000"
Said = list[dict[str, Any]]


class FakePage:
    """Where BrowserGym's page would be, without a browser."""

    def __init__(self) -> None:
        self.url = "about:blank"
        self.opened: list[str] = []
        self.context = SimpleNamespace(new_page=self._open)

    def _open(self) -> FakePage:
        tab = FakePage()
        tab.opened = self.opened
        return tab

    def goto(self, url: str) -> None:
        self.url = url
        self.opened.append(url)

    def bring_to_front(self) -> None:
        """Nothing to do."""


@pytest.fixture(scope="module")
def episodes() -> Iterator[Episodes]:
    with running_sandbox() as sandbox:
        found = Episodes(sandbox.control_url)
        yield found
        found.shut()


@pytest.fixture
def task_class(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return our task on a base class like BrowserGym's, which is not installed."""
    fake: Any = ModuleType("browsergym.core.task")
    fake.AbstractBrowserTask = type(
        "AbstractBrowserTask", (), {"__init__": lambda self, seed: None}
    )
    monkeypatch.setitem(sys.modules, "browsergym", ModuleType("browsergym"))
    monkeypatch.setitem(sys.modules, "browsergym.core", ModuleType("browsergym.core"))
    monkeypatch.setitem(sys.modules, "browsergym.core.task", fake)
    name = "rollouts.sites.browsergym_suite.task"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield __import__(name, fromlist=["SandboxTask"]).SandboxTask
    sys.modules.pop(name, None)


def test_every_task_of_the_catalog_is_registered() -> None:
    register()
    register()

    known = {f"browsergym/webrl_sites.{task['key']}" for task in load_tasks()}

    assert known == {name for name in gymnasium.registry if "webrl_sites." in name}
    assert sum(1 for split in COUNTS for _ in list_keys(split)) == len(known)


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        ([], None),
        ([{"role": "user", "message": "Go"}], None),
        ([{"role": "assistant", "message": "$5"}], "$5"),
        ([{"role": "infeasible", "message": "no such button"}], "N/A"),
    ],
)
def test_the_last_message_is_the_answer(messages: Said, answer: str | None) -> None:
    assert read_answer(messages) == answer


def test_a_task_is_over_at_its_first_success(
    task_class: Any, episodes: Episodes
) -> None:
    task, page = task_class(0, KEY, episodes), FakePage()
    goal, _ = task.setup(page)

    before = task.validate(page, [])
    page.goto(page.url + "order/1017")
    after = task.validate(page, [])

    assert goal == find_task(KEY).instruction
    assert before[:2] == (0.0, False)
    assert after[:2] == (1.0, True)
    assert after[3]["checks"][0]["passed"] is True


def test_an_answer_ends_a_task_that_is_not_solved(
    task_class: Any, episodes: Episodes
) -> None:
    task, page = task_class(0, KEY, episodes), FakePage()
    task.setup(page)

    said = [{"role": "assistant", "message": "There it is"}]

    assert task.validate(page, said)[:2] == (0.0, True)


def test_a_task_on_two_sites_begins_with_two_tabs(
    task_class: Any, episodes: Episodes
) -> None:
    task, page = task_class(0, "across.test.00000", episodes), FakePage()

    task.setup(page)

    assert len(page.opened) == 2
    assert page.url == page.opened[0]


def test_a_task_is_forgotten_once(task_class: Any, episodes: Episodes) -> None:
    task, page = task_class(0, KEY, episodes), FakePage()
    task.setup(page)

    task.teardown()
    task.teardown()

    assert task.validate(page, [])[:2] == (0.0, True)
