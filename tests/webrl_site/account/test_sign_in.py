from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.seed import PASSWORD, Example
from tests.webrl_site.conftest import SignIn
from webrl_site.account.forms import (
    WRONG_FOR_ACCOUNT,
    WRONG_FOR_ACCOUNT_FROM_ADDRESS,
    WRONG_FROM_ADDRESS,
)
from webrl_site.models import GuessCount
from webrl_site.server.guess_limits import forget_guesses, name_address

MANY = WRONG_FOR_ACCOUNT_FROM_ADDRESS.most


@pytest.fixture(autouse=True)
def clock(example: Example) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def knock(name: str, password: str, address: str = "10.0.0.1") -> Any:
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/sign-in/", form)


def guess(name: str, times: int = MANY, address: str = "10.0.0.1") -> set[int]:
    return {knock(name, "wrong", address).status_code for _ in range(times)}


def test_who_keeps_guessing_a_password_is_asked_to_wait():
    within = guess("annotator")
    late = knock("annotator", PASSWORD)

    assert within == {200}
    assert late.status_code == 429
    assert 0 < int(late["Retry-After"]) <= 60
    said = f"Too many attempts; try again in {late['Retry-After']} s."
    assert said in late.content.decode()


def test_the_right_password_within_the_limit_opens():
    guess("annotator", MANY - 1)

    assert knock("annotator", PASSWORD).status_code == 302


def test_the_next_minute_begins_anew(clock: time_machine.Traveller):
    guess("annotator")
    clock.shift(60)

    assert knock("annotator", PASSWORD).status_code == 302


def test_guesses_hold_up_no_other_account_and_no_other_address():
    guess("annotator")

    assert knock("researcher", PASSWORD).status_code == 302
    assert knock("annotator", PASSWORD, "10.0.0.2").status_code == 302


def test_an_address_that_tries_many_accounts_is_asked_to_wait():
    for number in range(WRONG_FROM_ADDRESS.most):
        guess(f"person {number}", 1)

    assert knock("annotator", PASSWORD).status_code == 429


def test_an_account_that_many_addresses_try_is_not_tried_further():
    for number in range(WRONG_FOR_ACCOUNT.most):
        guess("annotator", 1, f"10.0.1.{number}")

    assert knock("annotator", PASSWORD, "10.0.2.1").status_code == 429


def test_right_passwords_are_not_counted():
    answers = [knock("annotator", PASSWORD).status_code for _ in range(MANY + 1)]

    assert set(answers) == {302}


def test_counts_are_in_the_database_where_all_processes_find_them():
    guess("annotator")
    cache.clear()

    assert knock("annotator", PASSWORD).status_code == 429


def test_counts_of_past_minutes_are_forgotten(clock: time_machine.Traveller):
    guess("annotator", 1)
    assert forget_guesses() == 0
    clock.shift(300)

    assert forget_guesses() == 3
    assert not GuessCount.objects.exists()


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:9::9", "2001:db8:1:2::/64"),
        ("unix:", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_client_is_named_by_what_it_cannot_change(address: str | None, name: str):
    assert name_address(address) == name


def test_what_a_client_says_of_its_address_changes_nothing():
    for number in range(MANY):
        header = {"X-Forwarded-For": f"10.9.9.{number}"}
        form = {"username": "annotator", "password": "wrong"}
        Client(REMOTE_ADDR="10.0.0.1").post("/sign-in/", form, headers=header)

    assert knock("annotator", PASSWORD).status_code == 429


def test_the_admin_pages_have_no_door_of_their_own():
    page = Client().get("/admin/", follow=True)

    assert page.redirect_chain[-1][0] == "/sign-in/?next=/admin/"
    assert Client().post("/admin/login/").status_code == 405


def test_the_admin_pages_tell_others_that_they_are_not_theirs(sign_in: SignIn):
    page = sign_in("researcher").get("/admin/", follow=True)

    assert page.status_code == 403
    assert "An administrator can." in page.text


def test_the_admin_pages_let_their_people_in(sign_in: SignIn):
    assert sign_in("admin").get("/admin/login/")["Location"] == "/admin/"


def test_after_a_wrong_password_the_password_is_typed_next():
    form = knock("annotator", "wrong").context["form"]

    assert "autofocus" in form["password"].as_widget()
    assert "autofocus" not in form["username"].as_widget()


def test_a_wrong_password_is_told_in_the_words_of_the_page():
    assert "Name and password do not match." in knock("annotator", "no").text
