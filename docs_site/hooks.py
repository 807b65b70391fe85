"""Bring into the docs what lies elsewhere in the repository.

MkDocs calls these functions while it builds; see mkdocs.yml.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
# Pages of the repository's root, and their names among the docs.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "benchmarks.md",
}
LINK = re.compile(r"\]\((?:\.\./)*([\w/-][\w./-]*?\.(?:md|svg))(#[\w-]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, and the dashboard's colours and sizes."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    tokens = str(ROOT / "static" / "tokens.css")
    files.append(File.generated(config, "tokens.css", abs_src_path=tokens))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links to those pages to their new places."""
    up = "../" * page.file.src_uri.count("/")
    return LINK.sub(lambda link: _lead(link, up), markdown)


def _lead(link: re.Match[str], up: str) -> str:
    """Return the link as it is among the docs; up leads from the page to their top."""
    target, anchor = link[1], link[2] or ""
    if target not in PAGES and not target.startswith("docs/"):
        return link[0]
    return f"]({up}{PAGES.get(target, target.removeprefix('docs/'))}{anchor})"
