"""Which database answers a request, and who is signed in at its start."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound

from rollouts.sites.oscar.data import SESSION_KEY
from rollouts.sites.oscar.names import HEADER
from rollouts.sites.oscar.project.start import find_database

# `rollouts.sites.oscar.pages` sets the header, and drops what a page has put there.
NAME = re.compile(r"[0-9a-f]{16}/[0-9a-f]{16}", re.ASCII)
Answer = Callable[[HttpRequest], HttpResponse]


def use_database(path: Path) -> None:
    """Let this thread's connection read and write that file from now on."""
    connection.close()
    connection.settings_dict = {**connection.settings_dict, "NAME": path}


class EpisodeMiddleware:
    """Runs first, so that the session is the episode's, too."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = request.headers.get(HEADER, "")
        path = find_database(name)
        if not NAME.fullmatch(name) or not path.is_file():
            return HttpResponseNotFound("No such episode.", content_type="text/plain")
        use_database(path)
        is_first = settings.SESSION_COOKIE_NAME not in request.COOKIES
        if is_first:
            # A row of the episode's database, removed by a sign-out.
            request.COOKIES[settings.SESSION_COOKIE_NAME] = SESSION_KEY
        response = self._get_response(request)
        if is_first and settings.SESSION_COOKIE_NAME not in response.cookies:
            response.set_cookie(
                settings.SESSION_COOKIE_NAME, SESSION_KEY, httponly=True, samesite="Lax"
            )
        return response
