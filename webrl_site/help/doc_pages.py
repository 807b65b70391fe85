"""The docs as they are in the repository, rendered on request.

Names come from the listing of docs/ and of a few other pages, and are those of the
built docs: a page that is not in the list is not served.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webrl_site.markdown import render_tokens

PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
FIRST_PAGE = "index.html"
ATTACHED = (".svg", ".png", ".jsonl")
# Pages of the repository's root; docs_site/hooks.py brings them into the built docs.
ROOT_PAGES = {
    "architecture.html": "ARCHITECTURE.md",
    "contributing.html": "CONTRIBUTING.md",
    "changes.html": "CHANGELOG.md",
    "benchmarks.html": "benchmarks/README.md",
}
KEY = re.compile(r"<kbd>(.+?)</kbd>")


def has_docs() -> bool:
    """Return True if the docs are built, or can be rendered."""
    return (settings.DOCS_DIR / FIRST_PAGE).is_file() or FIRST_PAGE in map_docs()


@dataclasses.dataclass(frozen=True, slots=True)
class Doc:
    """One page of the docs: its title and its content."""

    title: str
    html: SafeString


def map_docs() -> dict[str, Path]:
    """Return the pages by the names that built pages have, such as "api.html"."""
    root = Path(settings.BASE_DIR)
    beside = {name: root / path for name, path in ROOT_PAGES.items()}
    return {name: file for name, file in beside.items() if file.is_file()} | {
        file.relative_to(_folder()).with_suffix(".html").as_posix(): file
        for file in _folder().rglob("*.md")
    }


def find_attachment(name: str) -> Path | None:
    """Return the picture or data file of this name that the docs show or link to."""
    return _map_attachments().get(name)


def _map_attachments() -> dict[str, Path]:
    files = (file for kind in ATTACHED for file in _folder().rglob(f"*{kind}"))
    return {file.relative_to(_folder()).as_posix(): file for file in files}


def read_doc(name: str) -> Doc | None:
    """Render a page; None if there is none of this name."""
    file = map_docs().get(name)
    if file is None:
        return None
    # Raw HTML stays text; the docs use one tag of it.
    text = KEY.sub(r"`\1`", file.read_text(encoding="utf-8"))
    tokens = PARSER.parse(text)
    title = name
    if tokens and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    _prepare(tokens, file.parent)
    return Doc(title, render_tokens(tokens))


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "docs"


def _prepare(tokens: list[Token], folder: Path) -> None:
    """Point links and pictures to the docs' own addresses, and name the headings.

    Addresses are relative to the page's folder.
    """
    names = {
        file.resolve(): name for name, file in (map_docs() | _map_attachments()).items()
    }
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
                    address = str(child.attrs[key])
                    child.attrs[key] = _find_address(address, folder, names)


def _name_heading(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")


def _find_address(address: str, folder: Path, names: Mapping[Path, str]) -> str:
    """Return the address here for a relative one; others stay as they are."""
    path, sign, part = address.partition("#")
    name = names.get((folder / path).resolve()) if path else None
    return reverse("docs", args=[name]) + sign + part if name else address
