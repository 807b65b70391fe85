"""Bring into the docs what lies elsewhere in the repository.

MkDocs calls these functions while it builds; see mkdocs.yml.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# Pages of the repository's root, and their names among the docs.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "benchmarks.md",
}
LINK = re.compile(r"\]\((?:\.\./)?([\w./-]+?\.(?:md|svg))(#[\w-]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, and the dashboard's colours and sizes."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    tokens = str(ROOT / "static" / "tokens.css")
    files.append(File.generated(config, "tokens.css", abs_src_path=tokens))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Lead links to those pages to their new places."""
    return LINK.sub(_lead, markdown)


def _lead(link: re.Match[str]) -> str:
    target, anchor = link[1], link[2] or ""
    return f"]({PAGES.get(target, target.removeprefix('docs/'))}{anchor})"
