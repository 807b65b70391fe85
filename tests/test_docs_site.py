"""The docs as pages: they build, stand on their own, and show what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.pictures import PICTURES

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
MAX_BYTES = 1_000_000
SHOWN = re.compile(r"!\[[^\]]+\]\(images/([^)]+)\)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    # With --quiet mkdocs does not count warnings, and a strict build cannot fail.
    command = ["-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def name(path: Path, folder: Path) -> str:
    """Return a page's place in its folder, without the file's ending."""
    return path.relative_to(folder).with_suffix("").as_posix()


def test_every_document_is_a_page(site: Path):
    pages = {name(path, site) for path in site.rglob("*.html")}
    written = (ROOT / "docs").rglob("*.md")

    assert {name(path, ROOT / "docs") for path in written} <= pages
    assert {"architecture", "contributing", "changes", "benchmarks"} <= pages


def test_pages_load_nothing_from_elsewhere_and_hold_no_script(site: Path):
    loads = re.compile(
        r'(?:<script[^>]*\bsrc|<img[^>]*\bsrc|<link[^>]*\bhref)="([^"]*)'
    )
    for page in site.rglob("*.html"):
        text = page.read_text()

        assert not [name for name in loads.findall(text) if "//" in name], page.name
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|<style", text), page.name


def test_what_pages_load_is_there(site: Path):
    for name in ("tokens.css", "docs.css", "docs.js", "search/main.js", "loop.svg"):
        assert (site / name).is_file(), name


def test_each_picture_is_shown_with_words_and_can_be_taken_anew():
    texts = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    kept = {path.name for path in IMAGES.iterdir()}

    assert set(SHOWN.findall(texts)) == kept == {f"{name}.png" for name in PICTURES}


def test_the_pictures_are_small():
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) < MAX_BYTES
