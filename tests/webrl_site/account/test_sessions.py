"""Sessions are Django's own rows; only the way they are read is ours."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.webrl_site.conftest import CountQueries, SignIn
from webrl_site.account.sessions import RENEW_EVERY, SessionStore

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


def test_a_session_lasts_while_it_is_used(sign_in: SignIn):
    client = sign_in("annotator")
    begun = timezone.now()

    for day in range(0, 40, 8):
        with time_machine.travel(begun + timedelta(days=day), tick=False):
            answer = client.get("/account/tokens/")
            assert answer.status_code == 200, day

    assert answer.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == 14 * 24 * 3600


def test_a_session_that_nobody_uses_ends(sign_in: SignIn):
    client = sign_in("annotator")

    with time_machine.travel(timezone.now() + timedelta(days=15), tick=False):
        assert client.get("/account/tokens/").status_code == 302


def test_a_session_is_renewed_once_a_day(sign_in: SignIn, count_queries: CountQueries):
    client = sign_in("annotator")
    usual = count_queries(client, "/account/tokens/")
    later = timezone.now() + RENEW_EVERY + timedelta(minutes=1)

    with time_machine.travel(later, tick=False):
        renewing = count_queries(client, "/account/tokens/")
        assert renewing > usual
        assert count_queries(client, "/account/tokens/") == usual


def test_a_session_that_cannot_be_renewed_is_still_read():
    key = make_session()
    with time_machine.travel(timezone.now() + RENEW_EVERY * 2, tick=False):
        session = SessionStore(key)
        assert session["name"] == "ann" and session.modified
        # As the database answers where the row is gone or the disk is full.
        Session.objects.all().delete()
        session.save()


def test_what_is_changed_and_cannot_be_saved_is_an_error():
    session = SessionStore(make_session())
    session["name"] = "bob"
    Session.objects.all().delete()

    with pytest.raises(UpdateError):
        session.save()
