"""Makes recorded pages inert: removes what could run, load or lead elsewhere.

On the dashboard a policy in the response's header keeps recorded pages inert. A file
on a disk has no header, so a bundle's pages are cleaned, carry the policy inside, and
are shown in sandboxed frames as well.

The recorder writes what a browser serialised, so the grammar here is small; unknown
parts are left out. Every pattern is possessive, and a piece without an end extends to
the end of the page, so a hostile page takes time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape

# As a <meta>, a policy cannot say "sandbox"; the frames around the pages do.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)
HEAD = (
    '<!doctype html><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
)
# Removed with everything inside them; a browser reads the content of RAW as text.
RAW = frozenset("script noscript iframe noframes noembed xmp plaintext".split())
DROPPED = RAW | frozenset("template frameset object applet audio video portal".split())
# Taken out; they hold nothing. SVG's animations may set any attribute, an address too.
DROPPED_TAGS = frozenset(
    "base link meta embed frame animate animatemotion animatetransform set".split()
)
VOID = frozenset("area br col hr img input param source track wbr".split())
ADDRESSES = frozenset(
    "src srcset href xlink:href action formaction poster background data ping "
    "srcdoc manifest longdesc cite codebase classid profile usemap".split()
)
ROOT = ' shadowrootmode="open"'
NAME = re.compile(r"[a-z][a-z0-9:._-]*\Z")
INSIDE = re.compile(r"(?:#|data:(?:image|font)/)", re.IGNORECASE)
TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/<>]*+)((?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>""")
ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>=`]++)))?+"""
)


def make_inert(html: str) -> str:
    """Return the cleaned page, with a policy that allows nothing."""
    return HEAD + "".join(_Cleaner(html).pieces())


class _Cleaner:
    """Writes the page again from its harmless parts."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._at = 0
        # Shadow roots that have begun and not ended.
        self._roots = 0

    def pieces(self) -> Iterator[str]:
        """Yield what is kept, in order."""
        html = self._html
        while 0 <= self._at < len(html):
            if html[self._at] != "<":
                start, self._at = self._at, html.find("<", self._at)
                yield html[start : None if self._at < 0 else self._at]
            elif html.startswith("<!--", self._at):
                self._skip("-->")
            elif html.startswith(("<!", "<?"), self._at):
                self._skip(">")
            else:
                yield from self._tag()

    def _skip(self, end: str) -> None:
        """Continue after `end`; without one the page is at its end."""
        found = self._html.find(end, self._at)
        self._at = found + len(end) if found >= 0 else -1

    def _tag(self) -> Iterator[str]:
        html, start = self._html, self._at
        found = TAG.match(html, start)
        if found is None:
            is_text = not html[start + 1 : start + 2].strip("/").isalpha()
            self._at = start + 1 if is_text else -1
            yield "&lt;" if is_text else ""
            return
        self._at = found.end()
        closing, tag = found[1], found[2].lower()
        if tag == "template" and (self._roots if closing else _is_root(found[3])):
            yield self._root(closing)
        elif closing:
            if tag not in VOID | DROPPED_TAGS | DROPPED and NAME.match(tag):
                yield f"</{tag}>"
        elif tag in DROPPED:
            self._drop(tag)
        elif tag not in DROPPED_TAGS and NAME.match(tag):
            slash = "/" if found[3].endswith("/") else ""
            yield f"<{tag}{_write(found[3])}{slash}>"
            if tag == "style":
                yield self._style()

    def _root(self, closing: str) -> str:
        """Begin or end a shadow root; its content is cleaned like the rest."""
        self._roots += -1 if closing else 1
        return "</template>" if closing else f"<template{ROOT}>"

    def _drop(self, tag: str) -> None:
        """Continue after the element, including nested ones of its name."""
        marks = re.compile(rf"<(/?){tag}(?=[\s/>])[^>]*+>?", re.ASCII | re.IGNORECASE)
        depth = 1
        for mark in marks.finditer(self._html, self._at):
            if mark[1]:
                depth -= 1
            elif tag not in RAW:
                depth += 1
            if not depth:
                self._at = mark.end()
                return
        self._at = -1

    def _style(self) -> str:
        """Return a style's text; without "<" it cannot end the element early."""
        end = re.compile(r"</style(?=[\s/>])", re.ASCII | re.IGNORECASE)
        found = end.search(self._html, self._at)
        stop = found.start() if found else len(self._html)
        start, self._at = self._at, stop
        return self._html[start:stop].replace("<", "\\3c ")


def _is_root(attributes: str) -> bool:
    """Say whether a template is one that the recorder writes for a shadow root."""
    return attributes == ROOT


def _write(attributes: str) -> str:
    kept = []
    for found in ATTRIBUTE.finditer(attributes):
        name = found[1].lower()
        raw = next((value for value in found.groups()[1:] if value is not None), None)
        value = None if raw is None else unescape(raw)
        if _is_harmless(name, value):
            kept.append(f" {name}" if value is None else f' {name}="{escape(value)}"')
    return "".join(kept)


def _is_harmless(name: str, value: str | None) -> bool:
    if not NAME.match(name) or name.startswith("on"):
        return False
    return name not in ADDRESSES or bool(INSIDE.match((value or "").strip()))
