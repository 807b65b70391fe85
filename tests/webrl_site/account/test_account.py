from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.seed import PASSWORD
from tests.webrl_site.conftest import SignIn

FRESH = "quiet-river-7412"


def change(client: Client, old: str = PASSWORD, new: str = FRESH) -> str:
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return client.post("/account/password/", form, follow=True).content.decode()


def has_password(name: str, password: str) -> bool:
    return User.objects.get(username=name).check_password(password)


@pytest.mark.parametrize("name", ["annotator", "researcher", "admin"])
def test_everybody_changes_their_own_password(name: str, sign_in: SignIn):
    client = sign_in(name)

    seen = change(client)

    assert "Your password is changed." in seen
    assert has_password(name, FRESH)
    assert client.get("/").status_code == 200


def test_other_browsers_of_the_person_are_signed_out(sign_in: SignIn):
    other = sign_in("annotator")

    change(sign_in("annotator"))

    assert other.get("/")["Location"].startswith("/sign-in/")


def test_the_old_password_is_asked_for(sign_in: SignIn):
    seen = change(sign_in("annotator"), old="not-this-one")

    assert "Your old password was entered incorrectly" in seen
    assert has_password("annotator", PASSWORD)


def test_a_weak_password_is_refused(sign_in: SignIn):
    assert "at least 12 characters" in change(sign_in("annotator"), new="short")
    assert has_password("annotator", PASSWORD)


def test_a_visitor_signs_in_before_changing_a_password(sign_in: SignIn):
    response = sign_in("").get("/account/password/")

    assert response["Location"] == "/sign-in/?next=/account/password/"


def test_the_menu_leads_to_the_password(sign_in: SignIn):
    assert "/account/password/" in sign_in("annotator").get("/").content.decode()
