"""Sessions of people who have signed in already: most tests begin there.

Signing in by the form costs two pages and a slow digest; those who test it do it.
"""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User


def write_sessions() -> dict[str, str]:
    """Write a session for each person; return its cookie's value by name."""
    return {user.username: _write(user) for user in User.objects.all()}


def _write(user: User) -> str:
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)
