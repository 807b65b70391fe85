"""The style sheets of an episode's recorded pages: each is told once.

They are most of a recorded page and the same from step to step. The observing
script names those that it has told before; here their texts are put in again, so
that every recorded page needs nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Characters; what goes beyond is told again at each look.
MOST = 4_000_000
_NAMED = re.compile(r'<style data-recorded-sheet="([0-9a-f-]{5,40})"></style>')


class RecordedSheets:
    """Texts by origin and name. A page cannot name another origin's."""

    def __init__(self) -> None:
        """Nothing is known at first."""
        self._texts: dict[str, dict[str, str]] = {}
        self._length = 0

    def names(self) -> dict[str, list[str]]:
        """Return the names that need no text any more, by origin."""
        return {origin: list(texts) for origin, texts in self._texts.items()}

    def fill_in(
        self, page: str, origin: str, told: Mapping[str, str], *, url: str
    ) -> str:
        """Return a recorded page with its style sheets' texts.

        Args:
            page: The page with names for some of its sheets.
            origin: Of the page, as it says.
            told: The texts that are new, by name.
            url: The page's address as the browser says; what a page tells is kept
                for its own origin only.
        """
        if url.startswith(f"{origin}/"):
            self._keep(origin, told)
        known = {**self._texts.get(origin, {}), **told}

        def text_of(found: re.Match[str]) -> str:
            name = found[1]
            return f"<style>{known[name]}</style>" if name in known else found[0]

        return _NAMED.sub(text_of, page)

    def _keep(self, origin: str, told: Mapping[str, str]) -> None:
        for name, text in told.items():
            if self._length + len(text) <= MOST:
                self._texts.setdefault(origin, {})[name] = text
                self._length += len(text)
