"""Every text of the interface is marked, translated, and compiled as it is written."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.utils import translation

from tests.catalogues import (
    ROOT,
    TEMPLATES,
    find_unmarked,
    marked_in_python,
    marked_in_scripts,
    marked_in_templates,
)
from webrl_site.i18n.setting_words import HELPS, LABELS
from webrl_site.runs.config import SECTIONS

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
CATALOGUES = [
    Path(settings.LOCALE_PATHS[0]) / translation.to_locale(code) / "LC_MESSAGES" / name
    for code in LANGUAGES
    for name in ("django.po", "djangojs.po")
]
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|</?[a-z]+[^>]*>")
# A bundle is a file for keeps, in English in every language.
ENGLISH_TEMPLATES = {ROOT / "templates/replay/bundle.html"}


def said(entry: polib.POEntry | polib.MOEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) or [entry.msgstr]


def known(domain: str) -> list[set[tuple[str, str]]]:
    """Return (context, text) of every entry, language by language."""
    return [
        {(entry.msgctxt or "", entry.msgid) for entry in polib.pofile(str(path))}
        for path in CATALOGUES
        if path.name == f"{domain}.po"
    ]


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: "-".join(path.parts[-3:]))
def test_no_message_is_missing_or_fuzzy(path: Path):
    entries = polib.pofile(str(path))

    unsaid = [e.msgid for e in entries if e.fuzzy or not all(said(e))]

    assert entries and not unsaid


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: "-".join(path.parts[-3:]))
def test_translations_keep_the_places_for_values_and_tags(path: Path):
    for entry in polib.pofile(str(path)):
        for text in said(entry):
            wanted = sorted(PLACEHOLDER.findall(entry.msgid))
            assert sorted(PLACEHOLDER.findall(text)) == wanted, entry.msgid


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: "-".join(path.parts[-3:]))
def test_what_is_compiled_is_what_is_written(path: Path):
    written = polib.pofile(str(path))
    compiled = polib.mofile(str(path.with_suffix(".mo")))

    assert {(e.msgctxt, e.msgid): said(e) for e in compiled} == {
        (e.msgctxt, e.msgid): said(e) for e in written
    }
    assert compiled.metadata == written.metadata


def test_the_catalogues_hold_every_marked_text():
    marked = set(marked_in_templates()) | set(marked_in_python())

    for texts in known("django"):
        assert marked - texts == set()
        assert texts - marked == set()


def test_the_catalogues_of_the_scripts_hold_every_marked_text():
    marked = {("", text) for text in marked_in_scripts()}

    assert all(texts == marked for texts in known("djangojs"))


@pytest.mark.parametrize(
    "path",
    [path for path in TEMPLATES if path not in ENGLISH_TEMPLATES],
    ids=lambda path: path.name,
)
def test_templates_say_nothing_that_is_not_marked(path: Path):
    assert find_unmarked(path.read_text(encoding="utf-8")) == []


def test_an_unmarked_text_is_found():
    template = '<p title="a hint">{% translate "Marked" %} {{ value }} and more</p>'

    assert find_unmarked(template) == ["a hint", "and more"]


@pytest.mark.parametrize("path", sorted(Path("static").glob("*.css")), ids=str)
def test_style_sheets_say_nothing(path: Path):
    """What a style sheet says cannot be translated."""
    assert re.findall(r'content:\s*"(?!\\)[^"]*[^\W\d_][^"]*"', path.read_text()) == []


def test_every_setting_is_explained_in_the_catalogues():
    fields = [f for config in SECTIONS.values() for f in dataclasses.fields(config)]

    assert {field.name for field in fields} == set(LABELS)
    assert {field.metadata["help"] for field in fields} == set(HELPS)
