"""Nothing that an annotator can open depends on what is to be kept from them.

Each page, file and API answer is fetched twice, between which the machine changes its
mind about the tasks: whatever an annotator is shown must stay the same to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from curriculum.models import (
    FirstLook,
    GoldItem,
    Phase,
    PhaseEvent,
    Review,
    Run,
    Site,
    Task,
)
from rollouts.models import Trajectory
from tests.factories import EvolvedTaskFactory, PhaseFactory, ReviewFactory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from tests.webrl_site.conftest import example as example
from tests.webrl_site.conftest import sign_in as sign_in
from training.models import Checkpoint, Metric, TrainingRun
from webrl_site.api import urls as api
from webrl_site.examples import every_page
from webrl_site.examples.every_state import write_states
from webrl_site.exports.formats import KINDS, list_formats

NOW = timezone.now()
# What differs each time a page is made.
FLEETING = re.compile(
    rb'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": ?)"\w+"|nonce="[^"]+"'
)
RIGHT = {"value_estimate": 0.1, "is_feasible": False}
LEFT = {"value_estimate": 0.7, "is_feasible": True}
# What asks for values by the way.
QUERIES = [
    *("/curriculum/?value_from=0.5", "/curriculum/?value_to=0.3"),
    *(
        "/curriculum/value-band/?low=0.5&high=1",
        "/curriculum/value-band/?low=0&high=0.3",
    ),
    *("/api/tasks/?value_from=0.5", "/api/tasks/?value_to=0.3&limit=500"),
    "/api/tasks/?limit=500",
    *(
        f"/api/exports/{kind}/?format={name}{query}"
        for kind in KINDS
        for name in list_formats(kind)
        for query in (["", "&value_from=0.5"] if kind == "tasks" else [""])
    ),
    "/api/exports/tasks/?format=webarena&status=shortlisted&value_from=0.5",
]
# Of tasks that wait these have none, whatever is thought of them.
ONLY_ACCEPTED = {
    f"/api/exports/tasks/?format=webarena{query}" for query in ("", "&value_from=0.5")
}
ROWS = {
    "site": Site,
    "task": Task,
    "review": Review,
    "run": Run,
    "phase": Phase,
    "event": PhaseEvent,
    "trajectory": Trajectory,
    "training-run": TrainingRun,
    "metric": Metric,
    "checkpoint": Checkpoint,
}


@pytest.fixture
def waiting(example: Example, monkeypatch: pytest.MonkeyPatch) -> Task:
    """A task on the desk of a blind review, which is the pages' example of a task."""
    write_states()
    phase = example.review_phase
    config = phase.run.config | {"review": {"blind_first": True, "gold_rate": 0.1}}
    type(phase.run).objects.filter(pk=phase.run_id).update(config=config)
    tasks = Task.objects.filter(born_in=phase, status="shortlisted")
    found: Task = tasks.order_by("pk")[3]
    monkeypatch.setitem(every_page.EXAMPLES, "task_id", lambda: found.pk)
    return found


@pytest.fixture
def gold(waiting: Task) -> Task:
    """A decided task of an earlier phase that comes among the others."""
    closed = PhaseFactory(status=Phase.Status.CLOSED)
    task: Task = EvolvedTaskFactory(born_in=closed, status="accepted")
    GoldItem.objects.create(task=task, accepts=True)
    return task


def list_addresses(task: Task) -> dict[str, str]:
    """Return every address that a GET may reach, with the task where it names one."""
    found = {query: query for query in QUERIES}
    for pattern in api.urlpatterns:
        if isinstance(pattern, URLPattern) and pattern.name:
            given = {
                name: _fill(pattern.name, name, task)
                for name in pattern.pattern.regex.groupindex
            }
            found[pattern.name] = reverse(pattern.name, kwargs=given)
    return found | every_page.list_addresses()


def _fill(address: str, name: str, task: Task) -> object:
    if name == "pk":
        kind = ROWS[address.removeprefix("api-").removesuffix("-detail")]
        return task.pk if kind is Task else kind._default_manager.latest("pk").pk
    examples = {"kind": "tasks", "name": "invalid", "format": "json"}
    return examples[name] if name in examples else every_page.EXAMPLES[name]()


def think(task: Task, opinion: Mapping[str, object]) -> None:
    said = "Surely" if opinion["is_feasible"] else "Never"
    reasons = {"feasibility_reason": f"{said}.", "filter_reason": f"{said}, it says"}
    Task.objects.filter(pk=task.pk).update(**opinion, **reasons)


def read(client: Client, path: str) -> bytes:
    answer: Any = client.get(path)
    whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return FLEETING.sub(b"", whole)


def find_what_tells(
    client: Client, addresses: dict[str, str], change: Callable[[int], None]
) -> set[str]:
    """Return the addresses whose answers differ between the two states."""
    answers = []
    with time_machine.travel(NOW, tick=False):
        # The first visit reserves a task, or ticks off a first step.
        for path in every_page.list_addresses().values():
            read(client, path)
        for turn in (0, 1):
            change(turn)
            answers.append({name: read(client, at) for name, at in addresses.items()})
    return {name for name in addresses if answers[0][name] != answers[1][name]}


def change_mind(*tasks: Task) -> Callable[[int], None]:
    def change(turn: int) -> None:
        for task in tasks:
            think(task, (LEFT, RIGHT)[turn])

    return change


def test_no_answer_tells_an_annotator_what_the_machine_thinks(
    sign_in: SignIn, waiting: Task, gold: Task
):
    pages = [f"/curriculum/{gold.pk}/", f"/api/tasks/{gold.pk}/"]
    addresses = list_addresses(waiting) | {page: page for page in pages}
    change = change_mind(waiting, gold)

    assert len(addresses) > 140
    assert find_what_tells(sign_in("annotator"), addresses, change) == set()


def test_researchers_are_told(sign_in: SignIn, waiting: Task):
    pages = [*QUERIES, f"/curriculum/{waiting.pk}/", f"/api/tasks/{waiting.pk}/"]
    told = [page for page in pages if "exports" not in page or "/tasks/" in page]
    addresses = {page: page for page in told if page not in ONLY_ACCEPTED}

    telling = find_what_tells(sign_in("researcher"), addresses, change_mind(waiting))

    assert telling == set(addresses)


def test_no_answer_tells_what_others_decided(sign_in: SignIn, waiting: Task):
    def decide(turn: int) -> None:
        if turn:
            ReviewFactory(task=waiting, decision="reject", reason="harmful")

    client, addresses = sign_in("annotator"), list_addresses(waiting)
    telling = find_what_tells(client, addresses, decide)

    # Counts and agreement over all people, which name no task.
    assert telling <= {"agreement", "home"}


def test_who_has_decided_is_shown_everything(sign_in: SignIn, waiting: Task):
    think(waiting, LEFT)
    client = sign_in("annotator")
    page = f"/curriculum/{waiting.pk}/"
    assert "A review is blind" in client.get(page).content.decode()

    me = int(client.session["_auth_user_id"])
    FirstLook.objects.create(task=waiting, reviewer_id=me, decision="accept")

    seen = client.get(page).content.decode()
    assert "0.70" in seen and "Surely." in seen and "A review is blind" not in seen
    assert client.get(f"/api/tasks/{waiting.pk}/").json()["value_estimate"] == 0.7


def test_it_is_shown_when_the_review_is_over(sign_in: SignIn, waiting: Task):
    think(waiting, LEFT)
    Phase.objects.filter(evolved=waiting).update(status=Phase.Status.CLOSED)

    row = sign_in("annotator").get(f"/api/tasks/{waiting.pk}/").json()

    assert (row["value_estimate"], row["opinion_hidden"]) == (0.7, False)


def test_a_review_that_is_not_blind_hides_nothing(sign_in: SignIn, example: Example):
    rows = sign_in("annotator").get("/api/tasks/?origin=evolved").json()["results"]

    assert {row["opinion_hidden"] for row in rows} == {False}


def test_lists_and_value_band_say_why(sign_in: SignIn, waiting: Task):
    client = sign_in("annotator")

    for page in ("/curriculum/?origin=evolved", "/curriculum/value-band/"):
        assert "A review is blind" in client.get(page).content.decode()
