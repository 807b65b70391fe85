"""What becomes of sessions when the operator rotates the key."""

from __future__ import annotations

import pytest
from django.conf import settings as present
from django.test import override_settings

from tests.webrl_site.conftest import SignIn

pytestmark = pytest.mark.django_db
NEW = "another-key-0123456789-abcdefghijklmnopqrstuvwxyz-0123456789"


def test_nobody_is_signed_out_while_the_old_key_is_set(sign_in: SignIn) -> None:
    client = sign_in("researcher")
    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[present.SECRET_KEY]):
        assert client.get("/runs/").status_code == 200
    with override_settings(SECRET_KEY=NEW):
        assert client.get("/runs/").status_code == 200


def test_without_the_old_key_all_sign_in_anew(sign_in: SignIn) -> None:
    client = sign_in("researcher")
    with override_settings(SECRET_KEY=NEW):
        assert client.get("/runs/").status_code == 302
