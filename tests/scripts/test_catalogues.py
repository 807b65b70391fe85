"""Translations are compiled where they are missing or old."""

from __future__ import annotations

import os
from pathlib import Path

import polib
import pytest

from scripts.workbench.install.catalogues import list_stale
from webrl_site.i18n.catalogues import compile_all


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "es" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text('msgid ""\nmsgstr ""\n\nmsgid "Yes"\nmsgstr "Sí"\n')
    return path


def test_a_missing_catalogue_is_compiled(catalogue: Path, tmp_path: Path):
    compile_all(list_stale(tmp_path))

    compiled = polib.mofile(str(catalogue.with_suffix(".mo")))
    assert [(entry.msgid, entry.msgstr) for entry in compiled] == [("Yes", "Sí")]


def test_a_compiled_catalogue_is_left_alone(catalogue: Path, tmp_path: Path):
    compile_all(list_stale(tmp_path))

    assert list_stale(tmp_path) == []


def test_a_newer_source_is_compiled_again(catalogue: Path, tmp_path: Path):
    compile_all(list_stale(tmp_path))
    later = catalogue.with_suffix(".mo").stat().st_mtime + 1
    os.utime(catalogue, (later, later))

    assert list_stale(tmp_path) == [catalogue]
