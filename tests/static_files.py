"""Static files as WhiteNoise finds them, looked for once by a process.

Each test client loads the middleware anew, and WhiteNoise then asks the disk about
every static file. The files stay as they are while tests run.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware

_found: dict[str, dict[str, Any]] = {}


class FoundOnce(WhiteNoiseMiddleware):
    """WhiteNoise, which finds the same files again under the same settings."""

    def add_files_from_finders(self) -> None:
        where = (settings.STATIC_URL, settings.STATICFILES_DIRS, self.max_age)
        key = repr(where)
        if key not in _found:
            super().add_files_from_finders()
            _found[key] = self.files.copy()
        self.files.update(_found[key])
