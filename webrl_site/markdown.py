"""Markdown as HTML. Raw HTML stays text, and every piece is escaped by Django.

The library only parses; this module turns its tokens into a fixed set of tags, so that
no text can add a tag or an attribute of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

TAGS = frozenset("p ul ol li blockquote strong em s table thead tbody tr th td".split())
SCHEMES = frozenset({"http", "https", "mailto"})
# The page has a title and sections of its own above.
HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
PARSER = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .disable("image")
)


@functools.lru_cache(maxsize=64)
def render_markdown(text: str) -> SafeString:
    """Return the text as HTML that is safe to show."""
    return render_tokens(PARSER.parse(text))


def render_tokens(tokens: Sequence[Token]) -> SafeString:
    """Return parsed text as HTML; only the dashboard's own pictures are shown.

    A token's `meta` may keep a heading's own `tag`, name its `id`, and say that a
    table `scrolls`: then Tab reaches it.
    """
    return _join(_render(tokens))


def _render(tokens: Sequence[Token]) -> Iterator[SafeString]:
    for token in tokens:
        if token.type == "inline":
            yield _join(_render(token.children or []))
        elif token.type == "link_open":
            yield _open_link(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            yield format_html("</{}>", "a")
        elif token.nesting and not token.hidden:
            yield _tag(token)
        elif not token.nesting:
            yield _leaf(token)


def _tag(token: Token) -> SafeString:
    """Open or close one of the known tags; unknown ones are left out."""
    tag = HEADINGS.get(token.tag, token.tag)
    if token.tag in HEADINGS and "tag" in token.meta:
        tag = token.tag
    if token.nesting > 0 and "id" in token.meta:
        return format_html('<{} id="{}">', tag, token.meta["id"])
    if token.nesting > 0 and "scrolls" in token.meta:
        return format_html('<{} tabindex="{}">', tag, 0)
    if tag not in TAGS and token.tag not in HEADINGS:
        return SafeString()
    return format_html("<{}>" if token.nesting > 0 else "</{}>", tag)


def _leaf(token: Token) -> SafeString:
    if token.type in ("fence", "code_block"):
        return format_html("<pre><code>{}</code></pre>", token.content)
    if token.type == "code_inline":
        return format_html("<code>{}</code>", token.content)
    source = str(token.attrs.get("src", ""))
    if token.type == "image" and source.startswith("/") and source[1:2] != "/":
        return format_html('<img src="{}" alt="{}">', source, token.content)
    if token.type in ("hardbreak", "hr"):
        return format_html("<{}>", "br" if token.type == "hardbreak" else "hr")
    text = "\n" if token.type == "softbreak" else token.content
    return format_html("{}", text)


def _open_link(address: str) -> SafeString:
    """Link to the web, to a mailbox or into the dashboard; to nothing else."""
    parts = urlsplit(address)
    is_own = not parts.scheme and not parts.netloc and address.startswith(("/", "#"))
    if not is_own and parts.scheme not in SCHEMES:
        return format_html("<{}>", "a")
    return format_html('<a href="{}" rel="noopener noreferrer">', address)


def _join(pieces: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((piece,) for piece in pieces))
