"""How many requests of the desk this process answers at once."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponseBase

# With more, another person takes a prepared task before it is shown.
QUIET = 2

View = Callable[..., HttpResponseBase]


class Crowd:
    """Counts the requests that are being answered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.inside = 0

    @property
    def is_busy(self) -> bool:
        """Whether more than a few requests are being answered, including this one."""
        return self.inside > QUIET

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Count one more request while the block runs, even if it fails."""
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    def counted(self, view: View) -> View:
        """Count a view's requests."""

        @functools.wraps(view)
        def count(
            request: HttpRequest, *args: object, **kwargs: object
        ) -> HttpResponseBase:
            with self.enter():
                return view(request, *args, **kwargs)

        return count

    def _change(self, by: int) -> None:
        with self._lock:
            self.inside += by


AT_DESK = Crowd()
