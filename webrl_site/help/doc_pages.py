"""The docs as they lie in the folder docs/, rendered when they are asked for.

Names come from that folder's own listing: what is not in it is not there.
"""

from __future__ import annotations

import dataclasses
import posixpath
import re
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webrl_site.markdown import render_tokens

PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
FIRST_PAGE = "index.html"
KEY = re.compile(r"<kbd>(.+?)</kbd>")


def has_docs() -> bool:
    """Return True if the docs are built, or there to be rendered."""
    return (settings.DOCS_DIR / FIRST_PAGE).is_file() or FIRST_PAGE in map_docs()


@dataclasses.dataclass(frozen=True, slots=True)
class Doc:
    """One page of the docs: its title, and what stands below it."""

    title: str
    html: SafeString


def map_docs() -> dict[str, Path]:
    """Return the pages by the names that built pages have, such as "api.html"."""
    return {
        file.relative_to(_folder()).with_suffix(".html").as_posix(): file
        for file in _folder().rglob("*.md")
    }


def find_picture(name: str) -> Path | None:
    """Return the picture of this name that the docs show."""
    files = [*_folder().glob("*.svg"), *_folder().glob("images/*.png")]
    names = {file.relative_to(_folder()).as_posix(): file for file in files}
    return names.get(name)


def read_doc(name: str) -> Doc | None:
    """Render a page; None where there is none of this name."""
    file = map_docs().get(name)
    if file is None:
        return None
    # Raw HTML stays text; the docs use one tag of it.
    text = KEY.sub(r"`\1`", file.read_text(encoding="utf-8"))
    tokens = PARSER.parse(text)
    title = name
    if tokens and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    _prepare(tokens, posixpath.dirname(name))
    return Doc(title, render_tokens(tokens))


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "docs"


def _prepare(tokens: list[Token], folder: str) -> None:
    """Lead links and pictures to the docs' own addresses, and name the headings.

    Addresses are relative to the page's folder, "" for the docs' own.
    """
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.meta["id"] = _name_heading(tokens[place + 1].content)
        if token.type == "table_open":
            token.meta["scrolls"] = True
        if token.tag[:1] == "h" and token.tag[1:].isdigit():
            token.meta["tag"] = token.tag
        for child in token.children or []:
            for key in ("href", "src"):
                if key in child.attrs:
                    child.attrs[key] = _find_address(str(child.attrs[key]), folder)


def _name_heading(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")


def _find_address(address: str, folder: str) -> str:
    """Return where a relative address leads here; others stay as they are."""
    path, sign, part = address.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path)) if path else path
    name = f"{path.removesuffix('.md')}.html" if path.endswith(".md") else path
    if name in map_docs() or find_picture(name):
        return reverse("docs", args=[name]) + sign + part
    return address
