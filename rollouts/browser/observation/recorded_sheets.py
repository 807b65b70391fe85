"""The style sheets of an episode's recorded pages: each is transferred once.

They are most of a recorded page and the same from step to step. The observing script
only names those that it has sent before; here their texts are inserted again, so every
recorded page is complete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Characters; sheets beyond this limit are sent again with each observation.
MOST = 4_000_000
_NAMED = re.compile(r'<style data-recorded-sheet="([0-9a-f-]{5,40})"></style>')


class RecordedSheets:
    """Texts by origin and name. A page cannot name another origin's."""

    def __init__(self) -> None:
        """No sheets are known at first."""
        self._texts: dict[str, dict[str, str]] = {}
        self._length = 0

    def names(self) -> dict[str, list[str]]:
        """Return the names whose texts are known, by origin."""
        return {origin: list(texts) for origin, texts in self._texts.items()}

    def fill_in(
        self, page: str, origin: str, told: Mapping[str, str], *, url: str
    ) -> str:
        """Return a recorded page with its style sheets' texts.

        Args:
            page: The page with names for some of its sheets.
            origin: The page's origin, as the page gives it.
            told: The new texts, by name.
            url: The page's address as the browser gives it; a page's texts are kept for
                its own origin only.
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
