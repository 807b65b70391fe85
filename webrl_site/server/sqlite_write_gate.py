"""Requests that write take turns where the database lets one writer in at a time.

Dozens of threads that wait for SQLite's lock poll for it and starve one another, while
the one that holds it competes with them for the interpreter. In turn, each is done
in the time that it takes alone. Other databases queue writers themselves.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.db import connection
from django.http import HttpRequest, HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
# One works while another waits for the disk.
TURNS = threading.BoundedSemaphore(2)


def write_gate(view: View[P]) -> View[P]:
    """Let a view wait for its turn in this process, where the database needs it."""

    @functools.wraps(view)
    def waiting(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if connection.vendor != "sqlite":
            return view(request, *args, **kwargs)
        with TURNS:
            return view(request, *args, **kwargs)

    return waiting
