from __future__ import annotations

import stat
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from rollouts.sites.kit.sites import ADDABLE
from rollouts.sites.sandbox.published import FOLDERS
from scripts.workbench.cli import build_parser
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import oscar, site, wheel
from scripts.workbench.install.wheel import Wheel, fetch, unpack

PAGES = Wheel("pages", "1.0", "0" * 64, "pages/html", "pages.dist-info/LICENSE")


def write_wheel(path: Path, **more: str) -> Path:
    files = {
        "pages/html/a.html": "<p>A</p>",
        "pages/html/core/core.js": "var core;",
        "pages/__init__.py": "raise SystemExit",
        "pages.dist-info/LICENSE": "MIT",
        **more,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_only_the_wanted_folder_and_the_licence_are_unpacked(tmp_path):
    unpack(write_wheel(tmp_path / "a.whl"), PAGES, tmp_path / "out")
    found = {p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*.*")}
    assert {str(path) for path in found} == {"a.html", "core/core.js"}
    assert (tmp_path / "out" / "LICENSE").read_text() == "MIT"


@pytest.mark.parametrize(
    "name",
    ["pages/html/../../evil", "pages/html//etc/evil", "pages/html/a\\..\\evil"],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    file = write_wheel(tmp_path / "a.whl", **{name: "evil"})
    with pytest.raises(WorkbenchError, match="strange file"):
        unpack(file, PAGES, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_link_in_the_wheel_is_refused(tmp_path):
    file = write_wheel(tmp_path / "a.whl")
    link = zipfile.ZipInfo("pages/html/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(WorkbenchError, match="strange file"):
        unpack(file, PAGES, tmp_path / "out")


def test_a_wheel_that_unpacks_to_far_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, "MAX_BYTES", 10)
    with pytest.raises(WorkbenchError, match="more than 10 bytes"):
        unpack(write_wheel(tmp_path / "a.whl"), PAGES, tmp_path / "out")


def test_another_file_than_the_pinned_one_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(
        wheel, "_download", lambda one, folder, python: write_wheel(folder / "a.whl")
    )
    with pytest.raises(WorkbenchError, match="not the file that was expected"):
        fetch(PAGES, tmp_path / "suites" / "pages-1.0", sys.executable)
    assert list((tmp_path / "suites").iterdir()) == []


def test_what_pip_says_against_a_wheel_is_passed_on(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    unknown = replace(PAGES, name="no-such-pages")
    with pytest.raises(WorkbenchError, match=r"no-such-pages-1.0 could not be"):
        fetch(unknown, tmp_path / "pages", sys.executable)
    assert not (tmp_path / "pages").exists()


def test_the_pages_go_where_the_sandbox_looks_for_them():
    assert {"miniwob": site.MINIWOB.key, "oscar": oscar.NAME} == FOLDERS
    assert set(site.ADDABLE) == set(FOLDERS) == {one.key for one in ADDABLE}


def test_a_site_that_cannot_be_added_is_refused_at_once(capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(["site", "add", "nonsense"])
    assert "miniwob" in capsys.readouterr().err
