"""django-oscar itself, added and played in real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from rollouts.browser.types import StepRecord
from rollouts.sites.oscar import data
from rollouts.sites.oscar.changes import new_changes
from rollouts.sites.oscar.tasks import TEMPLATES, load_tasks, plan_of
from rollouts.sites.sandbox.baselines import ExitPolicy
from rollouts.sites.sandbox.oracle import OraclePolicy
from rollouts.sites.sandbox.playing import Attempt, play

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BOOK = data.BOOKS[data.IN_STOCK[0]]
FIRST = {task["template_key"]: task for task in reversed(load_tasks())}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class Person:
    """Somebody with an episode of their own, without a browser."""

    def __init__(self, sandbox, token: str = "") -> None:
        self._control = httpx.Client(base_url=sandbox.control_url, trust_env=False)
        self.token = token or self._post("/episodes", {"sites": ["oscar"]})
        host = f"oscar.{self.token}.localhost:{sandbox.port}"
        self.pages = httpx.Client(
            base_url=f"http://127.0.0.1:{sandbox.port}",
            headers={"host": host, "origin": f"http://{host}"},
            trust_env=False,
        )

    def _post(self, path: str, body: object = None) -> str:
        return self._control.post(path, json=body).json()["token"]

    def get(self, path: str) -> str:
        answer = self.pages.get(path)
        assert answer.status_code == 200
        return answer.text

    def send(self, path: str, on: str, **fields: str) -> None:
        token = TOKEN.search(self.get(on))
        assert token is not None
        fields["csrfmiddlewaretoken"] = token[1]
        assert self.pages.post(path, data=fields).status_code == 302

    def add_to_basket(self) -> None:
        self.send(f"/basket/add/{BOOK.number}/", on=BOOK.path, quantity="1")

    def state(self) -> object:
        return self._control.get(f"/episodes/{self.token}/state").json()["oscar"]

    def fork(self) -> str:
        return self._post(f"/episodes/{self.token}/fork")

    def close(self) -> None:
        self._control.delete(f"/episodes/{self.token}")
        self.pages.close()
        self._control.close()


@pytest.fixture
def person(sandbox) -> Iterator[Person]:
    person = Person(sandbox)
    yield person
    person.close()


@pytest.fixture(scope="module")
def attempts(sandbox) -> list[Attempt]:
    """One task of every template, played by its plan."""
    tasks = list(FIRST.values())
    oracle = OraclePolicy(tasks, plan_of)
    return list(play(oracle, tasks, contexts=2, control_url=sandbox.control_url))


def test_the_oracle_solves_every_template_in_the_optimal_steps(attempts):
    assert len(attempts) == len(TEMPLATES)
    assert [one.explain() for one in attempts if not one.has_succeeded] == []


def test_no_page_answers_with_an_error(attempts):
    records: list[StepRecord] = [step for one in attempts for step in one.steps]
    titles = {record.observation.title for record in records}
    assert not any("error" in title.lower() for title in titles)


def test_leaving_at_once_solves_nothing(sandbox):
    tasks = [FIRST[f"oscar.{name}"] for name in ("find_price", "open_book", "buy")]
    ends = play(ExitPolicy(), tasks, contexts=2, control_url=sandbox.control_url)
    assert [one.outcome for one in ends] == [False, False, False]


def test_robin_is_signed_in_at_the_first_page(person):
    assert data.EMAIL in person.get("/accounts/profile/")


def test_who_signs_out_stays_out(person):
    person.get("/catalogue/")
    person.pages.get("/accounts/logout/")
    assert "Login or register" in person.get("/catalogue/")
    person.pages.cookies.clear()
    assert "Login or register" in person.get("/catalogue/")


def test_nobody_sees_anothers_basket_and_every_episode_begins_clean(sandbox, person):
    person.add_to_basket()
    other = Person(sandbox)
    assert person.state() == {**new_changes(), "basket": {BOOK.title: 1}}
    assert other.state() == new_changes()
    assert "Your basket is empty" in other.get("/basket/")
    other.close()


def test_a_fork_keeps_the_basket_and_goes_its_own_way(sandbox, person):
    person.add_to_basket()
    fork = Person(sandbox, person.fork())
    fork.add_to_basket()
    assert fork.state()["basket"] == {BOOK.title: 2}
    assert person.state()["basket"] == {BOOK.title: 1}
    fork.close()


def test_a_header_of_the_pages_own_opens_no_other_episode(sandbox, person):
    person.add_to_basket()
    other = Person(sandbox)
    other.pages.headers["x-sandbox-episode"] = "0123456789abcdef/0123456789abcdef"
    assert "Your basket is empty" in other.get("/basket/")
    other.close()


def test_a_form_without_its_token_is_refused(person):
    answer = person.pages.post(f"/basket/add/{BOOK.number}/", data={"quantity": "1"})
    assert answer.status_code == 403
    assert person.state() == new_changes()
