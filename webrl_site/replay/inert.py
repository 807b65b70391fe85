"""Recorded pages made inert: what could run, load or lead elsewhere is taken out.

On the dashboard a policy in the response's header keeps recorded pages quiet. A file
on a disk has no header, so a bundle's pages are cleaned, carry the policy inside, and
stand in sandboxed frames besides.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

# As a <meta>, a policy cannot say "sandbox"; the frames around the pages do.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)
HEAD = (
    '<!doctype html><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
)
# Taken out with all that is inside them.
DROPPED = frozenset(
    "script noscript template iframe frameset object applet noframes noembed xmp "
    "audio video portal plaintext".split()
)
# Taken out; they hold nothing. SVG's animations may set any attribute, an address too.
DROPPED_TAGS = frozenset(
    "base link meta embed frame animate animatemotion animatetransform set".split()
)
VOID = frozenset("area br col hr img input param source track wbr".split())
ADDRESSES = frozenset(
    "src srcset href xlink:href action formaction poster background data ping "
    "srcdoc manifest longdesc cite codebase classid profile usemap".split()
)
NAME = re.compile(r"[a-z][a-z0-9:._-]*\Z")
INSIDE = re.compile(r"(?:#|data:(?:image|font)/)", re.IGNORECASE)


def make_inert(html: str) -> str:
    """Return the page cleaned, under a policy that lets it do nothing."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return HEAD + "".join(cleaner.parts)


class _Cleaner(HTMLParser):
    """Writes the page anew from what is known to be harmless."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._inside = ""
        self._depth = 0
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._inside:
            self._depth += tag == self._inside
        elif tag in DROPPED:
            self._inside, self._depth = tag, 1
        elif tag not in DROPPED_TAGS and NAME.match(tag):
            self._is_style = tag == "style"
            self.parts.append(f"<{tag}{_write(attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        if self._inside:
            self._depth -= tag == self._inside
            if not self._depth:
                self._inside = ""
        elif tag not in VOID | DROPPED_TAGS | DROPPED and NAME.match(tag):
            self._is_style = False
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._inside:
            return
        # Style is read as it stands; without "<" it cannot end before its time.
        kept = data.replace("<", "\\3c ") if self._is_style else escape(data, False)
        self.parts.append(kept)


def _write(attributes: list[tuple[str, str | None]]) -> str:
    kept = [(name, value) for name, value in attributes if _is_harmless(name, value)]
    return "".join(
        f" {name}" if value is None else f' {name}="{escape(value)}"'
        for name, value in kept
    )


def _is_harmless(name: str, value: str | None) -> bool:
    if not NAME.match(name) or name.startswith("on"):
        return False
    return name not in ADDRESSES or bool(INSIDE.match((value or "").strip()))
