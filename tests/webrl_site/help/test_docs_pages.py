from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest
from django.test import Client

from tests.webrl_site.conftest import SignIn
from webrl_site.help.doc_pages import ROOT_PAGES, map_docs, read_doc
from webrl_site.help.glossary import read_glossary


@pytest.fixture
def docs_dir(settings, tmp_path: Path) -> Path:
    """Built docs: one page, one of its files, and what must not be given away."""
    settings.DOCS_DIR = tmp_path / "docs"
    settings.DOCS_DIR.mkdir()
    (settings.DOCS_DIR / "index.html").write_text("<h1>Docs</h1>")
    (settings.DOCS_DIR / "docs.css").write_text("h1 {}")
    (settings.DOCS_DIR / "notes.txt").write_text("not for you")
    (tmp_path / "secret.html").write_text("not for you")
    (settings.DOCS_DIR / "away.html").symlink_to(tmp_path / "secret.html")
    return settings.DOCS_DIR


def test_a_built_page_is_shown_under_the_dashboards_policy(
    docs_dir: Path, sign_in: SignIn
):
    response = sign_in("annotator").get("/help/docs/index.html")

    assert response.content == b"<h1>Docs</h1>"
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert response["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    "name",
    ["notes.txt", "away.html", "../secret.html", "%2e%2e/secret.html", "none.html"],
)
def test_nothing_else_is_given_away(name: str, docs_dir: Path, sign_in: SignIn):
    response = sign_in("researcher").get(f"/help/docs/{name}")

    assert response.status_code == 404
    assert b"not for you" not in response.content


def test_a_visitor_signs_in_first(docs_dir: Path, client: Client, db: None):
    assert client.get("/help/docs/index.html").status_code == 302


def test_help_leads_to_the_docs_that_are_built(docs_dir: Path, sign_in: SignIn):
    assert "/help/docs/annotator.html" in (
        sign_in("annotator").get("/help/").content.decode()
    )


def test_docs_that_are_not_built_are_shown_as_they_are_written(
    settings, tmp_path: Path, sign_in: SignIn
):
    settings.DOCS_DIR = tmp_path
    client = sign_in("annotator")

    assert "/help/docs/annotator.html" in client.get("/help/").content.decode()
    seen = client.get("/help/docs/annotator.html").content.decode()
    assert "<h2" in seen
    assert "&lt;kbd&gt;" not in seen
    assert client.get("/help/docs/images/replay.png").status_code == 200


@pytest.mark.parametrize("name", [*map_docs()])
def test_every_link_of_the_docs_leads_to_a_page_and_a_heading(name: str, settings):
    settings.DOCS_DIR = Path("/nowhere")
    doc = read_doc(name)
    assert doc is not None
    pages = r'href="/help/docs/([^"#]+\.html)#?([^"]*)"'
    for target, part in re.findall(pages, doc.html):
        found = read_doc(target)
        assert found is not None
        assert not part or f'id="{part}"' in found.html


@pytest.mark.parametrize("name", [*map_docs()])
def test_every_picture_and_link_of_the_docs_has_an_address(name: str, settings):
    settings.DOCS_DIR = Path("/nowhere")
    text = map_docs()[name].read_text(encoding="utf-8")
    doc = read_doc(name)
    assert doc is not None
    assert doc.html.count("<img ") == len(re.findall(r"!\[[^\]]*\]\(", text))
    assert "<a>" not in doc.html


def test_the_docs_as_written_have_the_pages_of_the_built_docs(settings):
    hooks = runpy.run_path(str(settings.BASE_DIR / "docs_site" / "hooks.py"))
    written = {file: name.replace(".html", ".md") for name, file in ROOT_PAGES.items()}
    assert written == hooks["PAGES"]


def test_rows_of_an_experiment_can_be_read(settings, tmp_path: Path, sign_in: SignIn):
    settings.DOCS_DIR = tmp_path
    found = sign_in("researcher").get("/help/docs/experiments/learning_rows.jsonl")
    assert found["Content-Type"] == "application/jsonl"
    assert json.loads(found.content.splitlines()[0])["method"]


def test_a_page_in_a_folder_leads_to_pages_outside_it(settings, tmp_path: Path):
    settings.BASE_DIR = tmp_path
    (tmp_path / "docs" / "old").mkdir(parents=True)
    (tmp_path / "docs" / "new.md").write_text("# New")
    (tmp_path / "docs" / "old" / "a.md").write_text(
        "# Old\n\n[new](../new.md) [b](b.md)"
    )
    (tmp_path / "docs" / "old" / "b.md").write_text("# B")
    doc = read_doc("old/a.html")

    assert doc is not None
    assert 'href="/help/docs/new.html"' in doc.html
    assert 'href="/help/docs/old/b.html"' in doc.html


def test_without_docs_help_says_where_they_lie(
    settings, tmp_path: Path, sign_in: SignIn
):
    read_glossary()  # Kept from here on; there is none below tmp_path.
    settings.DOCS_DIR = settings.BASE_DIR = tmp_path
    seen = sign_in("annotator").get("/help/").content.decode()

    assert "/help/docs/" not in seen
    assert "./webrl docs" in seen
