"""Sessions are Django's own rows; only the way they are read is ours."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from webrl_site.account.sessions import SessionStore

pytestmark = pytest.mark.django_db


def make_session(kind: type[db.SessionStore] = SessionStore) -> str:
    session = kind()
    session["name"] = "ann"
    session.save()
    assert session.session_key
    return session.session_key


def test_what_was_kept_is_read_again():
    assert SessionStore(make_session())["name"] == "ann"


def test_a_session_of_djangos_own_store_stays_valid_and_the_other_way_round():
    assert SessionStore(make_session(db.SessionStore))["name"] == "ann"
    assert db.SessionStore(make_session())["name"] == "ann"


def test_a_session_that_ran_out_is_empty():
    key = make_session()
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert SessionStore(key).get("name") is None


def test_an_unknown_key_is_not_used_again():
    session = SessionStore("a" * 32)
    assert session.get("name") is None
    session.save()
    assert session.session_key != "a" * 32


def test_a_stranger_has_an_empty_session():
    assert SessionStore().get("name") is None
