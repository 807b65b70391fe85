"""A session that ran out leads back to where somebody was, and loses no text."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.seed import PASSWORD, Example

HOST = "http://testserver"
HTMX = {"HX-Request": "true"}


def sign_in_from(client: Client, place: str) -> str:
    """Sign in with the form that `place` shows; return the path of the next page."""
    form = client.get(place).context
    filled = {"username": "researcher", "password": PASSWORD, "next": form["next"]}
    answer = client.post("/sign-in/", filled)
    assert client.get(answer["Location"]).status_code == 200
    return answer["Location"]


@pytest.mark.parametrize("posted", ["/phases/{phase}/stop/", "/runs/{run}/notes/"])
def test_a_form_leads_back_to_its_page(posted: str, example: Example):
    client = Client()
    posted = posted.format(phase=example.review_phase.pk, run=example.run.pk)
    page = f"/runs/{example.run.pk}/?training=1"

    answer = client.post(posted, headers={"Referer": HOST + page})

    assert sign_in_from(client, answer["Location"]) == page


@pytest.mark.parametrize(
    "said", [{}, {"Referer": "https://elsewhere.example/runs/"}, {"Referer": "://"}]
)
def test_a_form_of_no_page_of_ours_leads_home(said: dict[str, str], example: Example):
    client = Client()

    answer = client.post("/review/decide/", headers=said)

    assert sign_in_from(client, answer["Location"]) == "/"


def test_the_form_says_where_it_goes(example: Example):
    assert 'method="post" action="/sign-in/"' in Client().get("/sign-in/").text


@pytest.mark.parametrize(
    ("method", "path"), [("get", "/review/"), ("post", "/review/decide/")]
)
def test_a_part_of_a_page_is_told_and_gets_no_sign_in_form(
    method: str, path: str, example: Example
):
    page = {"HX-Current-URL": f"{HOST}/review/?site=shop&phase=1"}

    answer = getattr(Client(), method)(path, headers=HTMX | page)

    assert answer.status_code == 401
    assert "You are signed out." in answer.text
    assert 'href="/sign-in/?next=/review/%3Fsite%3Dshop%26phase%3D1"' in answer.text
    assert "<form" not in answer.text and "<html" not in answer.text


def test_going_back_signed_out_gets_the_whole_sign_in_page(example: Example):
    back = HTMX | {"HX-History-Restore-Request": "true"}

    answer = Client().get("/curriculum/value-band/?low=0.2", headers=back)

    assert answer["Location"] == "/sign-in/?next=/curriculum/value-band/%3Flow%3D0.2"
