"""Numbers that no database has are answered like any other wrong number."""

from __future__ import annotations

import pytest

from tests.seed import Example
from tests.webrl_site.conftest import SignIn

STRANGE = ["²", "٣", "9" * 25, "9" * 5000]


@pytest.mark.parametrize("asked", STRANGE)
@pytest.mark.parametrize(
    "path",
    [
        "/charts/?run=",
        "/judges/?run=",
        "/runs/compare/?run=",
        "/runs/?before=",
        "/review/?phase=",
        "/trajectories/{trajectory}/?training=",
        "/trajectories/?phase=1&run=1&task=",
    ],
)
def test_a_page_is_shown(path: str, asked: str, sign_in: SignIn, example: Example):
    address = path.format(trajectory=example.trajectory.pk) + asked

    assert sign_in("researcher").get(address).status_code == 200


@pytest.mark.parametrize("asked", STRANGE)
def test_what_it_names_is_not_found(asked: str, sign_in: SignIn, example: Example):
    client = sign_in("researcher")

    answers = [
        client.get(f"/runs/new/?from={asked}"),
        client.post(
            "/review/decide/", {"task_id": asked, "token": "x", "decision": "skip"}
        ),
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    held = client.post("/review/renew/", {"task_id": asked, "token": "x"})
    assert held.status_code in (200, 422)


@pytest.mark.parametrize("asked", STRANGE)
def test_a_step_that_is_none_leads_to_the_episode(
    asked: str, sign_in: SignIn, example: Example
):
    url = f"/trajectories/{example.trajectory.pk}/verdict/take-back/"

    answer = sign_in("annotator").post(url, {"step": asked})

    assert answer["Location"] == f"/trajectories/{example.trajectory.pk}/"


@pytest.mark.parametrize("asked", ["9" * 19, "9" * 25])
def test_episodes_that_no_database_has_are_not_compared(
    asked: str, sign_in: SignIn, example: Example
):
    address = f"/trajectories/{asked}/compare/{example.trajectory.pk}/"

    assert sign_in("annotator").get(address).status_code == 404


@pytest.mark.parametrize("asked", STRANGE)
def test_nobody_gets_a_link_by_a_strange_number(asked: str, sign_in: SignIn):
    answer = sign_in("admin").post("/people/", {"person": asked})

    assert answer.status_code == 404
