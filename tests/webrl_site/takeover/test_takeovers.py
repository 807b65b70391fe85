"""The page of a person who takes over, without a browser behind it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Task
from rollouts.browser.errors import explain_notes
from rollouts.models import Takeover, Trajectory
from rollouts.selectors.takeovers import list_marks
from tests.factories import UserFactory
from tests.rollouts.by_hand import make_source, take_over
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn

PAGE = {
    "url": "/3",
    "title": "Page 3",
    "text": '<input id="4" type="checkbox"/> <select id="5"> </select>',
    "error": "",
    "picture": "a" * 64,
    "elements": [
        {"id": 4, "tag": "input", "text": "Gift", "box": [1, 2, 3, 4]},
        {"id": 5, "tag": "select", "text": "Size", "box": [1, 9, 3, 4]},
        {"id": 6, "tag": "button", "text": "<b>Buy</b>", "box": [1, 9, 3, 4]},
    ],
}


@pytest.fixture
def ready(example: Example) -> Takeover:
    """The annotator's takeover, with a browser that waits for them."""
    takeover = take_over(make_source(), author=example.annotator)
    Trajectory.objects.filter(pk=takeover.trajectory_id).update(status="running")
    Takeover.objects.filter(pk=takeover.pk).update(page=PAGE, steps_done=2)
    takeover.refresh_from_db()
    return takeover


def address(takeover: Takeover, rest: str = "") -> str:
    return f"/takeovers/{takeover.pk}/{rest}"


def read(client: Client, takeover: Takeover) -> str:
    return client.get(address(takeover)).content.decode()


def wish(client: Client, takeover: Takeover, **fields: Any) -> Any:
    return client.post(
        address(takeover, "act/"),
        {"number": 2} | fields,
        headers={"HX-Request": "true"},
    )


def test_a_step_of_the_replay_is_taken_over(sign_in: SignIn, example: Example) -> None:
    source = make_source()
    client = sign_in("annotator")
    assert (
        "Take over from here"
        in client.get(f"/trajectories/{source.pk}/steps/2/").content.decode()
    )
    response = client.post(f"/trajectories/{source.pk}/steps/2/take-over/")
    takeover = Takeover.objects.get()
    assert response["Location"] == address(takeover)
    assert (takeover.forked_at, takeover.author) == (1, example.annotator)


def test_who_is_in_the_middle_of_one_is_led_back_to_it(
    sign_in: SignIn, ready: Takeover
) -> None:
    url = f"/trajectories/{ready.forked_from_id}/steps/1/take-over/"
    response = sign_in("annotator").post(url)
    assert response["Location"] == address(ready)


def test_waiting_without_a_worker_is_said(sign_in: SignIn, example: Example) -> None:
    takeover = take_over(make_source(), author=example.annotator)
    page = read(sign_in("annotator"), takeover)
    assert "Waiting for a browser" in page
    assert "./webrl up starts one" in page


@pytest.mark.parametrize(
    ("error", "has_failed"),
    [(explain_notes(frozenset(), ["Sure?"]), False), ("Element 4 is gone.", True)],
)
def test_a_dialog_is_told_and_not_shown_as_a_failure(
    sign_in: SignIn, ready: Takeover, error: str, has_failed: bool
) -> None:
    Takeover.objects.filter(pk=ready.pk).update(page=PAGE | {"error": error})
    page = read(sign_in("annotator"), ready)
    assert error.split('"')[0] in page
    assert ("The last action failed" in page) == has_failed


def test_what_can_be_used_is_marked_and_escaped(
    sign_in: SignIn, ready: Takeover
) -> None:
    page = read(sign_in("annotator"), ready)
    assert page.count("data-mark=") == 3
    assert "&lt;b&gt;Buy&lt;/b&gt;" in page
    assert "<b>Buy</b>" not in page


def test_each_element_offers_what_one_does_with_it() -> None:
    actions = [mark.action for mark in list_marks(PAGE)]
    assert actions == ["Click", "Select Dropdown Option", "Click"]


def test_an_element_of_an_accessibility_tree_does_so_too() -> None:
    page = PAGE | {"text": "[4] textbox 'Name'\n[5] button 'Go'"}
    assert [mark.action for mark in list_marks(page)][:2] == ["Type", "Click"]


def test_a_chosen_action_is_wanted_in_the_runs_dialect(
    sign_in: SignIn, ready: Takeover
) -> None:
    wish(sign_in("annotator"), ready, action="Click", element=4)
    ready.refresh_from_db()
    assert ready.wanted == '# Element: Gift\ndo(action="Click", element="4")'


def test_home_is_wanted_as_the_sites_start_page(
    sign_in: SignIn, ready: Takeover
) -> None:
    run, task = ready.trajectory.phase.run, ready.trajectory.task
    run.config["rollout"] = {"action_dialect": "browsergym"}
    run.save()
    Task.objects.filter(pk=task.pk).update(start_url="__SHOP__/cart")
    wish(sign_in("annotator"), ready, action="Go Home")
    ready.refresh_from_db()
    assert ready.wanted == "goto('__SHOP__')"


def test_a_typed_line_is_wanted_as_it_stands(sign_in: SignIn, ready: Takeover) -> None:
    line = 'do(action="Scroll Down")'
    page = wish(sign_in("annotator"), ready, line=line).content.decode()
    ready.refresh_from_db()
    assert ready.wanted == line
    assert "Carrying it out" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"line": "import os"}, "This is not an action"),
        ({"action": "Click"}, "Click needs element"),
        ({"action": "Explode"}, "Select a valid choice"),
        ({}, "Choose an action"),
        ({"number": 1, "action": "Go Home"}, "not where your page was"),
    ],
)
def test_what_is_no_action_is_refused_with_the_reason(
    sign_in: SignIn, ready: Takeover, fields: dict[str, Any], said: str
) -> None:
    assert said in wish(sign_in("annotator"), ready, **fields).content.decode()
    ready.refresh_from_db()
    assert ready.wanted == ""


def test_without_scripts_an_action_leads_back_to_the_page(
    sign_in: SignIn, ready: Takeover
) -> None:
    filled = {"number": 2, "action": "Go Home", "argument": ""}
    response = sign_in("annotator").post(address(ready, "act/"), filled)
    assert response["Location"] == address(ready)


def test_nobody_sees_or_ends_anothers(sign_in: SignIn, ready: Takeover) -> None:
    Takeover.objects.filter(pk=ready.pk).update(author=UserFactory())
    client = sign_in("annotator")
    assert client.get(address(ready)).status_code == 404
    assert client.post(address(ready, "leave/")).status_code == 404


def test_a_researcher_looks_on_but_does_not_act(
    sign_in: SignIn, ready: Takeover
) -> None:
    client = sign_in("researcher")
    assert "data-wish" not in read(client, ready)
    assert wish(client, ready, action="Go Home").status_code == 404


def test_a_success_is_kept_and_its_replay_says_so(
    sign_in: SignIn, ready: Takeover
) -> None:
    end(ready, outcome=True)
    client = sign_in("annotator")
    assert "Keep as demonstration" in read(client, ready)
    client.post(address(ready, "keep/"))
    replay = client.get(f"/trajectories/{ready.trajectory_id}/").content.decode()
    assert "By hand, annotator" in replay
    assert "Demonstration" in replay


def test_a_demonstration_is_let_go_again(sign_in: SignIn, ready: Takeover) -> None:
    end(ready, outcome=True)
    client = sign_in("annotator")
    client.post(address(ready, "keep/"))
    assert "Remove from demonstrations" in read(client, ready)
    client.post(address(ready, "let-go/"))
    assert "Keep as demonstration" in read(client, ready)


@pytest.mark.parametrize(
    ("is_on", "told"),
    [(False, "Turn on “Use demonstrations”"), (True, "next training learns from it")],
)
def test_a_demonstration_says_what_learns_from_it(
    sign_in: SignIn, ready: Takeover, is_on: bool, told: str
) -> None:
    run = ready.trajectory.phase.run
    run.config.setdefault("algorithm", {})["use_demonstrations"] = is_on
    run.save()
    end(ready, outcome=True)
    client = sign_in("annotator")
    client.post(address(ready, "keep/"))
    assert told in read(client, ready)


def test_the_success_on_a_held_out_task_says_why_it_cannot_be_kept(
    sign_in: SignIn, ready: Takeover
) -> None:
    end(ready, outcome=True)
    Task.objects.update(split=Task.Split.TEST)
    client = sign_in("annotator")
    page = read(client, ready)
    assert "the task is held out to measure policies" in page
    assert "Keep as demonstration" not in page
    client.post(address(ready, "keep/"))
    assert "nothing may learn from it" in read(client, ready)


def test_a_failure_is_shown_and_cannot_be_kept(
    sign_in: SignIn, ready: Takeover
) -> None:
    end(ready, outcome=False)
    client = sign_in("annotator")
    assert "Keep as demonstration" not in read(client, ready)
    client.post(address(ready, "keep/"))
    ready.refresh_from_db()
    assert ready.kept_at is None


def end(takeover: Takeover, outcome: bool) -> None:
    rows = Trajectory.objects.filter(pk=takeover.trajectory_id)
    rows.update(status="finished", ended_by="exit", outcome=outcome)
    takeover.closed_at = takeover.deadline
    takeover.save(update_fields=["closed_at"])


def test_the_page_asks_as_often_for_many_elements_as_for_few(
    sign_in: SignIn, ready: Takeover, count_queries: CountQueries
) -> None:
    client = sign_in("annotator")
    few = count_queries(client, address(ready))
    page = PAGE | {"elements": list(PAGE["elements"]) * 30}
    Takeover.objects.filter(pk=ready.pk).update(page=page)
    assert count_queries(client, address(ready)) == few <= 8
